"""The command line: colour, tables and progress for people, `--json` for machines."""
