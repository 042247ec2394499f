"""May a call run ahead, before anybody asks for it? A decision with its reason.

What makes a call unsafe is checked before its probability: however likely a write is, it does not run ahead.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan
from typing import Literal

from recollect.gateway.arguments import argument_problems
from recollect.gateway.policy import PolicyDecision, only_reads
from recollect.gateway.tool import UpstreamTool
from recollect.gateway.upstream import Upstream
from recollect.records.json_format import Json
from recollect.workflow import weights
from recollect.workflow.name_veto import vetoed_word

Verdict = Literal[
    "accepted",
    "untrusted_server",
    "unshared_server",
    "not_read_only",
    "needs_approval",
    "vetoed_name",
    "unknown_arguments",
    "unknown_cost",
    "too_expensive",
    "unknown_time",
    "too_slow",
    "below_threshold",
    "not_worth_it",
]


@dataclass(frozen=True, slots=True)
class ExpectedTime:
    """How long calls of a tool took, in milliseconds, by its receipts: half of them, and nearly all."""

    typical: float
    longest: float


@dataclass(frozen=True, slots=True)
class PredictedCall:
    """A call that may come next. `tool` is the accepted version; `arguments` None: they are not known.

    `needs_approval`: a person is to be asked before the task runs, whatever policy says.
    """

    tool: UpstreamTool
    upstream: Upstream
    policy: PolicyDecision
    probability: float
    arguments: Mapping[str, Json] | None
    time: ExpectedTime | None
    needs_approval: bool = False


def judge(call: PredictedCall, threshold: float = weights.SPECULATION_THRESHOLD) -> Verdict:
    """Whether a call may run ahead, or the first reason why not."""
    refusal = _unsafe(call) or _costly(call)
    if refusal is not None:
        return refusal
    if call.probability < bounded(threshold):
        return "below_threshold"
    return "accepted" if expected_gain(call) > 0 else "not_worth_it"


def may_write(tool: UpstreamTool) -> bool:
    """Whether a call may change something: unless annotations say that it only reads, and the name agrees."""
    reads = tool.hints.read_only is True and tool.hints.destructive is not True
    return not reads or bool(vetoed_word(tool.name) or vetoed_word(tool.title))


def call_cost(tool: UpstreamTool, upstream: Upstream) -> float | None:
    """Dollars of one call; None if nobody knows. What stays on this machine costs nothing.

    A tool that does not say where it reaches is open to the world, as MCP has it.
    """
    if upstream.call_cost is not None:
        return upstream.call_cost
    return 0.0 if tool.hints.open_world is False else None


def expected_gain(call: PredictedCall) -> float:
    """Milliseconds that a call saves if it runs ahead, less what it wastes, each by its probability."""
    time = call.time.typical if call.time else 0.0
    dollars = call_cost(call.tool, call.upstream) or 0.0
    waste = time * weights.WASTED_TIME + dollars * weights.DOLLAR_MS
    return call.probability * time - (1 - call.probability) * waste


def bounded(threshold: float) -> float:
    """A threshold within the limits that speculation has, whoever adjusts it."""
    if isnan(threshold):
        return float(weights.SPECULATION_MOST)
    return min(max(threshold, float(weights.SPECULATION_LEAST)), float(weights.SPECULATION_MOST))


def _unsafe(call: PredictedCall) -> Verdict | None:
    if not call.upstream.speculate:
        return "untrusted_server"
    if not call.upstream.shared:
        return "unshared_server"  # another process of it may answer differently
    if not only_reads(call.tool, call.policy) or call.tool.hints.destructive is True:
        return "not_read_only"
    if call.needs_approval:
        return "needs_approval"
    if may_write(call.tool):
        return "vetoed_name"
    if call.arguments is None or argument_problems(call.tool.input_schema, call.arguments):
        return "unknown_arguments"
    return None


def _costly(call: PredictedCall) -> Verdict | None:
    cost = call_cost(call.tool, call.upstream)
    if cost is None:
        return "unknown_cost"
    if cost >= weights.SPECULATION_COST:
        return "too_expensive"
    if call.time is None:
        return "unknown_time"
    return "too_slow" if call.time.longest >= weights.SPECULATION_MS else None
