"""What is a memory?

One durable record: a JSON document of one of six categories, stored as one file. This package has the
format (`fields`, `categories`, `record`, `json_format`, `schema`), the changes of a record over its life
(`lifecycle`, `validity`, `in_force`, `links`, `anchors`, `merge`), the detection of duplicates
(`duplicates`), and the operations on a store (`memories`).

Nothing here opens a file: `memories` uses the `store` port.
"""
