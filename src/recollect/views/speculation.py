"""What calls that ran ahead saved and wasted, as JSON."""

from collections.abc import Sequence
from typing import TypedDict

from recollect.gateway.speculation_use import SpeculationUse, total


class SpeculationRow(TypedDict):
    """Calls of one tool that were predicted. `started` ran ahead, `hits` were used by a real call.

    `acceptance` is started of predicted, `success` succeeded of started, `hit_rate` hits of started, `waste`
    the rest of these.
    """

    server: str
    tool: str
    predicted: int
    started: int
    succeeded: int
    hits: int
    acceptance: float
    success: float
    hit_rate: float
    waste: float
    saved_ms: float
    wasted_ms: float
    dollars: float
    wasted_dollars: float


class GatewaySpeculationOutput(TypedDict):
    """`recollect gateway speculation`: whether it is on, the servers trusted for it, and each tool."""

    since: str
    enabled: bool
    trusted: list[str]
    total: SpeculationRow
    tools: list[SpeculationRow]


class GatewayTrustOutput(TypedDict):
    """`recollect gateway trust`: whether calls of a server may run ahead, and what one costs, if known."""

    server: str
    trusted: bool
    call_cost: float | None


def speculation_output(
    uses: Sequence[SpeculationUse], since: str, *, enabled: bool, trusted: Sequence[str]
) -> GatewaySpeculationOutput:
    """The receipts of speculation as JSON."""
    return {
        "since": since,
        "enabled": enabled,
        "trusted": list(trusted),
        "total": speculation_row(total(uses)),
        "tools": [speculation_row(use) for use in uses],
    }


def speculation_row(use: SpeculationUse) -> SpeculationRow:
    """One tool, or the sum, as JSON."""
    return {
        "server": use.server,
        "tool": use.tool,
        "predicted": use.predicted,
        "started": use.started,
        "succeeded": use.succeeded,
        "hits": use.hits,
        "acceptance": round(use.acceptance, 4),
        "success": round(use.success, 4),
        "hit_rate": round(use.hit_rate, 4),
        "waste": round(use.waste, 4),
        "saved_ms": round(use.saved_ms, 1),
        "wasted_ms": round(use.wasted_ms, 1),
        "dollars": round(use.dollars, 6),
        "wasted_dollars": round(use.wasted_dollars, 6),
    }
