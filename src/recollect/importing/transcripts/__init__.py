"""What did earlier sessions say and do? Transcripts that harnesses left behind, read row by row.

`discovery` lists the files, `line_rows`, `session_document`, `markdown_rows` and `opencode_folder` read them,
`past_session` puts a session together, and `drafting` says what waits for a person afterwards. No model is
asked.
"""
