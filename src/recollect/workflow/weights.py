"""Every weight and threshold of planning: its value, where it comes from, and how well it is supported."""

from recollect.gateway.weights import Weight

_SCALE = "the order of the cases"
_PLANS = "docs/measurements/plan.md"

# An output field that feeds a required input: how sure its name makes it.
SAME_NAME = Weight(0.9, "two names of several words are equal", _SCALE, "unproved")
SAME_WORD = Weight(0.75, "two names of one word are equal", _SCALE, "unproved")
SAME_THING = Weight(0.65, "two general names are equal, and both are of one thing", _SCALE, "unproved")
SAME_GENERAL = Weight(0.2, "two general names are equal, and nothing else is", _SCALE, "unproved")
QUALIFIED = Weight(0.85, "`issue_id` is the `id` of an `issue`", _SCALE, "unproved")
QUALIFIED_BY_TOOL = Weight(0.75, "`issue_id` is the `id` of a tool about issues", _SCALE, "unproved")
RESULT_OF = Weight(0.55, "`zipcode` is the `result` of a tool about zip codes", _SCALE, "unproved")
# ... and what makes it less sure, as factors.
ATTRIBUTE = Weight(0.67, "the field names no thing and is not its tool's subject", _PLANS, "measured")
UNKNOWN_TYPE = Weight(0.7, "a type is not known on both sides", _SCALE, "unproved")
SOMETIMES = Weight(0.8, "the field need not be in every result", _SCALE, "unproved")
FIRST_ITEM = Weight(0.7, "the field is of the first item of a list", _SCALE, "unproved")
ECHO = Weight(
    0.4, "the tool takes the same value as an input, so it does not make it", _SCALE, "unproved"
)
LEAST_FEED = Weight(0.5, "lowest certainty of a field that feeds an input", _PLANS, "measured")

# Other reasons for an order.
DECLARED = Weight(1.0, "a tool declares that it needs another", "DESIGN 10", "inherited")
STATED = Weight(0.6, "the request names one step before another", "by reading requests", "unproved")
HOP = Weight(0.8, "factor for each further hop of an observed path", _SCALE, "unproved")
LEAST_PATH = Weight(0.1, "lowest certainty of an observed path", _PLANS, "measured")
MOST_HOPS = Weight(3, "hops of an observed path", "DESIGN 10", "inherited")

# Which candidates become tasks.
RELEVANT = Weight(0.7, "least relevance of a step's tool, of that of the best", _PLANS, "measured")
SURE_STEP = Weight(0.9, "confidence in a step's tool that needs no relevance", _PLANS, "measured")
ADD_FEEDER = Weight(0.55, "lowest certainty of a feed that adds a tool", _SCALE, "unproved")
USUAL = Weight(
    0.5, "share of a tool's calls after another that makes it the usual one", _PLANS, "measured"
)
ALTERNATIVE = Weight(
    0.5, "least relevance of an alternative, of that of the chosen tool", _SCALE, "unproved"
)
FAILED = Weight(0.5, "factor on the relevance of a tool that failed in this run", _SCALE, "unproved")

# The parts of a plan's confidence, as exponents of a geometric mean; they sum to 1.
RELEVANCE_PART = Weight(0.5, "relevance of the tools", "the order of the parts", "unproved")
DEPENDENCY_PART = Weight(0.25, "certainty of the dependencies", "the order of the parts", "unproved")
ARGUMENT_PART = Weight(0.25, "arguments that have a value", "the order of the parts", "unproved")
MISSING = Weight(0.3, "weight of an argument that the agent still has to give", _SCALE, "unproved")
UNCONNECTED = Weight(0.7, "certainty that a task without dependencies has none", _SCALE, "unproved")

# The probability of a predicted call, from log-odds: `slope x log-odds + shift`.
_PREDICTION = "docs/measurements/prediction.md"
PREDICTION_SLOPE = Weight(1.07, "slope of Platt's scaling", _PREDICTION, "measured")
PREDICTION_SHIFT = Weight(-0.04, "shift of Platt's scaling", _PREDICTION, "measured")

# Which calls run ahead (speculation), and how long their results count.
_SPECULATION = "docs/measurements/speculation.md"
SPECULATION_THRESHOLD = Weight(
    0.92, "lowest probability of a call that runs ahead", "DESIGN 10", "inherited"
)
SPECULATION_LEAST = Weight(0.85, "lowest value of that threshold", "DESIGN 11", "inherited")
SPECULATION_MOST = Weight(0.95, "highest value of that threshold", "DESIGN 11", "inherited")
SPECULATION_COST = Weight(
    0.10, "dollars from which a call does not run ahead", "DESIGN 10", "inherited"
)
SPECULATION_MS = Weight(
    5_000, "milliseconds from which a call does not run ahead", "DESIGN 10", "inherited"
)
WASTED_TIME = Weight(
    1.0, "cost of a wasted second, relative to a saved one", "a server's time is worth ours", "unproved"
)
DOLLAR_MS = Weight(
    100_000, "milliseconds of waiting that a dollar is worth", "36 dollars an hour", "unproved"
)
PLAN_SLOPE = Weight(0.49, "slope of Platt's scaling of a plan's confidence", _SPECULATION, "measured")
PLAN_SHIFT = Weight(0.01, "shift of Platt's scaling of a plan's confidence", _SPECULATION, "measured")
NAMED_BY_AGENT = Weight(
    0.95, "probability of a planned task whose tool the agent named", _SPECULATION, "unproved"
)
BINDING_SEEN = Weight(3, "calls that show where an argument comes from", "DESIGN 10", "inherited")
RESULT_SECONDS = Weight(
    15.0, "seconds for which a result of speculation counts", _SPECULATION, "unproved"
)


def table() -> dict[str, Weight]:
    """All weights by name, in the order of this module."""
    return {name: value for name, value in globals().items() if isinstance(value, Weight)}
