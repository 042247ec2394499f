"""What does each thing look like as JSON? One view per thing, for `--json` and for MCP.

A view is a declared shape (a TypedDict) and a pure function from a domain value to it. Where the two
doors differ in their keys, both shapes stand side by side; those of MCP begin with `Tool`. Fields are
added, never renamed.
"""
