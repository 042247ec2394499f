"""How much learning stores, whatever the engine: what is oldest makes room."""

MAX_TRACES = 100_000
MAX_TRACE_DAYS = 30
MAX_PARAMS = 1_000  # sets of parameters, after which those of no trace are deleted
SETTLED_AFTER = 5  # events of a session without a use, after which an injection counts as ignored
MAX_CALLS = 20_000  # in sequences
MAX_EPISODES = 500
