"""What can be brought in from elsewhere?

claude-memory folders and Recollect's own exports come in as they are; folders of ADRs become decisions;
CLAUDE.md, AGENTS.md and their kin become preferences and constraints. `sources` reads, the parsers are
pure, `plan` decides and writes. A dry run is a plan that nobody applies.
"""
