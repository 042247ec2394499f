"""Every weight and threshold of learning, and the one table of those of gateway, workflow and learning."""

from collections.abc import Mapping

from recollect.gateway import weights as gateway
from recollect.gateway.weights import Weight
from recollect.workflow import weights as workflow

_DESIGN = "DESIGN 11"

# The next tool, from the tool graph.
CO_OCCURRENCE = Weight(0.6, "a tool followed the last one", _DESIGN, "inherited")
COMMUNITY = Weight(0.3, "a tool is in the community of the last one", _DESIGN, "inherited")
RECENCY = Weight(0.1, "a tool was called lately", _DESIGN, "inherited")
RANK = Weight(0.1, "PageRank of a tool, of the highest", _DESIGN, "inherited")
RELEARN_SHARE = Weight(
    0.25, "share of new calls, after which a predictor is chosen again", "a guess", "unproved"
)

# Adaptive thresholds.
WINDOW = Weight(50, "executions that a threshold takes into account", _DESIGN, "inherited")
ADJUST_EVERY = Weight(10, "executions between two adjustments", _DESIGN, "inherited")
TARGET = Weight(0.85, "share of accepted executions that should succeed", _DESIGN, "inherited")
LOWEST = Weight(0.70, "lowest threshold", _DESIGN, "inherited")
HIGHEST = Weight(0.95, "highest threshold", _DESIGN, "inherited")
_SIMULATED = "docs/measurements/learning.md"
START = Weight(0.80, "threshold before anything was learned", "between the bounds", "unproved")
GAIN = Weight(1.5, "move for each point of success, of the first adjustments", _SIMULATED, "measured")
GAIN_DELAY = Weight(4, "adjustments before that gain begins to shrink", _SIMULATED, "measured")
LEAST_GAIN = Weight(0.05, "what that gain shrinks to, so that it follows", _SIMULATED, "measured")
PRIOR_EXECUTIONS = Weight(
    15, "executions assumed to be on target, so that few move little", _SIMULATED, "measured"
)
LEAST_EVIDENCE = Weight(
    10, "best executions that may lower a threshold which accepts fewer", "a guess", "unproved"
)
MOST_STEP = Weight(0.04, "largest move of one adjustment", _SIMULATED, "measured")
SETTLED = Weight(
    100, "executions before the current day after which moves are limited", _SIMULATED, "measured"
)
MOST_DAY = Weight(
    0.03, "largest move in one day of a threshold that has settled", _SIMULATED, "measured"
)

# Capabilities.
CAPABILITY_PRIOR = Weight(
    1, "successes and failures that a capability begins with", _DESIGN, "unproved"
)
UNRELIABLE = Weight(
    0.5, "smoothed success below which a capability is unreliable", _DESIGN, "inherited"
)
UNRELIABLE_FACTOR = Weight(0.1, "score of an unreliable capability", _DESIGN, "inherited")
RELIABLE = Weight(0.9, "smoothed success above which a capability is reliable", _DESIGN, "inherited")
RELIABLE_FACTOR = Weight(1.2, "score of a reliable capability", _DESIGN, "inherited")
CAPABILITY_FITS = Weight(
    0.30, "lowest semantic x reliability of a capability that is suggested", "FITS of tools", "unproved"
)
OVERLAP_CALLS = Weight(
    10, "last calls of a session whose tools a capability may overlap", "a guess", "unproved"
)
OVERLAP_TOOLS = Weight(
    2,
    "fewest tools of a capability that a session must have called before it is suggested",
    "a guess",
    "unproved",
)

# Episodes.
EPISODE_SIMILAR = Weight(
    0.75, "cosine from which an earlier request counts as similar", "a guess", "unproved"
)


def table() -> Mapping[str, Mapping[str, Weight]]:
    """All weights, by the package that uses them and by name, in the order of their modules."""
    own = {name: value for name, value in globals().items() if isinstance(value, Weight)}
    return {"gateway": gateway.table(), "workflow": workflow.table(), "learning": own}
