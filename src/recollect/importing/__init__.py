"""What can be imported?

claude-memory folders and Recollect's own exports are imported unchanged; folders of ADRs become decisions;
CLAUDE.md, AGENTS.md and similar files become preferences and constraints. `sources` reads files, the
parsers are pure, `plan` decides and writes. A dry run is a plan that is not applied.
"""
