"""What tools cost and how well they work: one receipt for each call, summed by day, and what follows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from math import ceil, log
from typing import Literal

from recollect.gateway import weights
from recollect.gateway.tool import UpstreamTool, listing_tokens

Outcome = Literal["ok", "tool_error", "bad_arguments", "server_failure"]
OUTCOMES: tuple[Outcome, ...] = ("ok", "tool_error", "bad_arguments", "server_failure")
_BUCKETS_PER_DOUBLING = 4  # a latency is known to 19%


@dataclass(frozen=True, slots=True)
class Receipt:
    """One call. `result_tokens` are those of the upstream's result, `reply_tokens` what the agent got.

    `tool_error`: the tool said so. `bad_arguments`: they do not fit the schema. `server_failure`: no answer.
    """

    server: str
    tool: str
    outcome: Outcome
    milliseconds: float
    argument_tokens: int = 0
    result_tokens: int = 0
    reply_tokens: int = 0
    is_projected: bool = False  # the reply shows the fields of a projection

    @property
    def saved_tokens(self) -> int:
        """What the agent did not get of the result."""
        return max(self.result_tokens - self.reply_tokens, 0)


@dataclass(frozen=True, slots=True)
class ToolUse:
    """The calls of one tool in some time. `read_tokens` were read out of its stored results afterwards.

    `projection_saved_tokens` is what replies with a projection left out.
    """

    server: str
    tool: str
    outcomes: Mapping[Outcome, int] = field(default_factory=dict)
    argument_tokens: int = 0
    result_tokens: int = 0
    reply_tokens: int = 0
    read_tokens: int = 0
    projection_saved_tokens: int = 0
    latencies: Mapping[int, int] = field(default_factory=dict)  # calls by bucket
    last_day: str = ""

    @property
    def id(self) -> str:
        return f"{self.server}:{self.tool}"

    @property
    def calls(self) -> int:
        return sum(self.outcomes.values())

    @property
    def used_tokens(self) -> int:
        """What the agent paid: arguments, replies, and what it read out of the vault."""
        return self.argument_tokens + self.reply_tokens + self.read_tokens

    @property
    def saved_tokens(self) -> int:
        """What vault and projections spared the agent; 0 if it read everything after all."""
        return max(self.result_tokens - self.reply_tokens - self.read_tokens, 0)

    def percentile(self, share: float) -> float | None:
        """The latency in milliseconds that this share of the calls stays within; None without calls."""
        wanted = share * sum(self.latencies.values())
        total = 0
        for bucket in sorted(self.latencies):
            total += self.latencies[bucket]
            if total >= wanted:
                return bucket_end(bucket)
        return None

    @property
    def reliability(self) -> float:
        """The smoothed share of calls that succeeded, 1 before the first; bad arguments do not count."""
        calls = self.calls - self.outcomes.get("bad_arguments", 0)
        prior = weights.RELIABILITY_PRIOR
        return (self.outcomes.get("ok", 0) + prior) / (calls + prior)


def bucket_of(milliseconds: float) -> int:
    """The bucket of a latency; each is 19% longer than the one before."""
    return max(ceil(log(max(milliseconds, 1.0), 2) * _BUCKETS_PER_DOUBLING), 0)


def bucket_end(bucket: int) -> float:
    """The longest latency of a bucket, in milliseconds."""
    return float(2 ** (bucket / _BUCKETS_PER_DOUBLING))


def schema_tokens(tool: UpstreamTool) -> int:
    """What a tool costs each conversation of a harness that lists it."""
    return listing_tokens(tool.name, tool.title, tool.description, dict(tool.input_schema))


@dataclass(frozen=True, slots=True)
class ServerUse:
    """A configured server: what listing its tools would cost, and how they were used."""

    server: str
    tools: int
    schema_tokens: int
    uses: tuple[ToolUse, ...]

    @property
    def calls(self) -> int:
        return sum(use.calls for use in self.uses)

    @property
    def used_tokens(self) -> int:
        return sum(use.used_tokens for use in self.uses)


@dataclass(frozen=True, slots=True)
class ReceiptReport:
    """Every server, the most expensive first, and those that nobody called."""

    servers: tuple[ServerUse, ...]

    @property
    def unused(self) -> tuple[ServerUse, ...]:
        return tuple(server for server in self.servers if not server.calls)


def receipt_report(
    uses: Iterable[ToolUse], tools: Sequence[UpstreamTool], servers: Iterable[str]
) -> ReceiptReport:
    """Put receipts beside the catalogue, for the servers that are switched on and those that were used."""
    by_server = {
        server: tuple(rows)
        for server, rows in groupby(sorted(uses, key=_by_name), lambda use: use.server)
    }
    costs: dict[str, list[int]] = {}
    for tool in tools:
        costs.setdefault(tool.server, []).append(schema_tokens(tool))
    rows = [
        ServerUse(name, len(costs.get(name, ())), sum(costs.get(name, ())), by_server.get(name, ()))
        for name in {*servers, *by_server}
    ]
    return ReceiptReport(
        tuple(sorted(rows, key=lambda row: (-row.used_tokens, -row.schema_tokens, row.server)))
    )


def _by_name(use: ToolUse) -> tuple[str, str]:
    return use.server, use.tool


def reliability(uses: Iterable[ToolUse]) -> dict[str, float]:
    """How reliable each tool was, by id, for discovery."""
    return {use.id: use.reliability for use in uses}
