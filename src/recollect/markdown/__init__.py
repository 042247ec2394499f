"""What does a Markdown page say? Sections, blocks, links and plain text, read with markdown-it.

Knows nothing of memories or files. No input raises, and time is in proportion to the text.
"""
