"""How much the gateway stores, whatever the engine: what is oldest makes room."""

MAX_EDGES = 10_000  # of the tool graph of a project
MAX_DAYS = 400  # days with calls, of which receipts say what they cost
MAX_READS = 500  # fields and results that are remembered of one tool
