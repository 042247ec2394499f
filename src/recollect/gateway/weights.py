"""Every weight and threshold of the gateway: its value, where it comes from, and how well it is supported.

A `Weight` is a float, so formulas use the names directly. `table` lists them for the reference page.
"""

from typing import Literal, Self

Status = Literal["measured", "inherited", "unproved"]


class Weight(float):
    """A number that remembers what it is for, its source, and its status."""

    about: str
    source: str
    status: Status

    def __new__(cls, value: float, about: str, source: str, status: Status) -> Self:
        weight = super().__new__(cls, value)
        weight.about, weight.source, weight.status = about, source, status
        return weight


_TOOL_SETS = "docs/measurements/tools.md"

# Search by words: BM25 over weighted fields.
NAME = Weight(3.0, "a word of the tool's name", _TOOL_SETS, "measured")
SERVER = Weight(2.0, "a word of the server's name", _TOOL_SETS, "measured")
DESCRIPTION = Weight(1.0, "a word of the description", _TOOL_SETS, "measured")
PARAMETER = Weight(0.5, "a word of a parameter's name", _TOOL_SETS, "measured")
PARAMETER_TEXT = Weight(0.25, "a word of a parameter's description", _TOOL_SETS, "measured")
SATURATION = Weight(2.0, "BM25's k1: how soon a repeated word stops counting", _TOOL_SETS, "measured")
LENGTH = Weight(0.75, "BM25's b: how much a long text is penalised", "BM25's usual value", "inherited")
PIECES = Weight(0.3, "share of pieces of words in the lexical score", _TOOL_SETS, "measured")

# Fusion of words and meaning. The vector of a long request is the average of its parts, and says less.
MEANING_SHORT = Weight(0.60, "share of meaning in a request of few words", _TOOL_SETS, "measured")
MEANING_LONG = Weight(0.25, "share of meaning in a request of many words", _TOOL_SETS, "measured")
FEW_WORDS = Weight(8, "different words of a short request", _TOOL_SETS, "measured")
MANY_WORDS = Weight(25, "different words of a long request", _TOOL_SETS, "measured")
STEPS = Weight(0.3, "share of the best step in the lexical score", _TOOL_SETS, "measured")
NAME_MEANING = Weight(0.1, "share of the name in a tool's cosine", _TOOL_SETS, "measured")
SERVER_SHARE = Weight(0.7, "share of a score that depends on the tool's server", _TOOL_SETS, "measured")
SECOND_TOOL = Weight(0.5, "the second best tool of a server, beside its best", _TOOL_SETS, "measured")

# The graph term.
ALPHA_FLOOR = Weight(
    0.5, "smallest share of relevance next to the graph", "seed 003 ADR-022", "inherited"
)
DENSITY_SLOPE = Weight(
    2.0, "how fast the weight of relevance falls as the graph fills", "DESIGN 9", "inherited"
)
ADAMIC_ADAR_SCALE = Weight(2.0, "the Adamic-Adar sum that counts as related", "DESIGN 9", "inherited")
OBSERVATIONS = Weight(
    3, "uses of a tool at which its edges have half their weight", _TOOL_SETS, "measured"
)
DEPENDENCY = Weight(1.0, "an edge: one tool needs the output of the other", "DESIGN 11", "inherited")
CONTAINS = Weight(0.8, "an edge: one is part of the other", "DESIGN 11", "inherited")
SEQUENCE = Weight(0.5, "an edge: one was called after the other", "DESIGN 11", "inherited")
OBSERVED = Weight(1.0, "an edge that was observed three times", "DESIGN 11", "inherited")
INFERRED = Weight(0.7, "an edge that was observed less often", "DESIGN 11", "inherited")
TEMPLATE = Weight(0.5, "an edge that a template declares", "DESIGN 11", "inherited")
PROMOTED = Weight(3, "observations after which an edge counts as observed", "DESIGN 11", "inherited")
PROJECTION_RESULTS = Weight(
    3, "results in which a field is read before it is proposed", "DESIGN 11", "inherited"
)
COLD_DENSITY = Weight(0.01, "below it the graph is cold", "seed 003 ADR-023", "inherited")
GROWING_DENSITY = Weight(0.10, "below it the graph grows", "seed 003 ADR-023", "inherited")
COLD_EXPANSION = Weight(1.5, "candidates per hit, cold graph", "seed 003 ADR-023", "inherited")
GROWING_EXPANSION = Weight(2.0, "candidates per hit, growing graph", "seed 003 ADR-023", "inherited")
FULL_EXPANSION = Weight(3.0, "candidates per hit, full graph", "seed 003 ADR-023", "inherited")

# Reliability: (successes + prior) / (calls + prior), bad arguments left out.
RELIABILITY_PRIOR = Weight(5, "successes that a tool starts with", "additive smoothing", "unproved")

# "No tool fits".
FITS = Weight(0.30, "lowest confidence in the best tool at which any tool fits", _TOOL_SETS, "measured")

# Starting a server again after it failed. The pauses before the breaker opens sum to 7.5 s, which is less
# than clients wait for a server to start.
BACKOFF_FIRST = Weight(
    0.5, "seconds before the next start after a first failure", "DESIGN 9", "unproved"
)
BACKOFF_FACTOR = Weight(2.0, "growth of that pause with each failure", "DESIGN 9", "unproved")
BREAKER_FAILURES = Weight(5, "remembered failures that open the breaker", "DESIGN 9", "unproved")
BREAKER_REST = Weight(
    60.0, "seconds before an open breaker lets one start through", "DESIGN 9", "unproved"
)
BREAKER_MEMORY = Weight(300.0, "seconds for which a failure is remembered", "DESIGN 9", "unproved")


def table() -> dict[str, Weight]:
    """All weights by name, in the order of this module."""
    return {name: value for name, value in globals().items() if isinstance(value, Weight)}
