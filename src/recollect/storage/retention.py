"""How much is stored of what waits for a person, whatever the engine: what is oldest makes room."""

MAX_DRAFTS = 1_000
MAX_DISMISSALS = 5_000
