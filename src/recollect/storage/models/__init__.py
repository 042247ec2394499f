"""Which model reads text? Named models with pinned digests, installed once, run offline."""
