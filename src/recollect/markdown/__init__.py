"""What does a Markdown page say? As much of the language as skills, rules and decisions are written in.

Knows nothing of memories or files; no input raises, and none takes longer than in proportion to its length.
"""
