"""What is a memory?

One durable record: a JSON document of one of six categories, kept as one file. This package holds the
format (`fields`, `categories`, `record`, `json_format`, `schema`), what happens to a record over its
life (`lifecycle`, `links`, `anchors`, `merge`), how two records are told apart (`duplicates`), and the
verbs that join them over a store (`memories`).

Nothing here opens a file: `memories` speaks to the `store` port.
"""
