"""Tools that were found, as JSON."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

from recollect.gateway.discovery import Discovery, ToolExplanation, ToolHit
from recollect.gateway.upstream import StdioServer
from recollect.views.capability_summary import CapabilitySummary, capability_summary

if TYPE_CHECKING:
    from recollect.app.gateway import Refreshed, ServerState
    from recollect.learning.capability_search import CapabilityHit


class ToolWhyRow(TypedDict):
    """The signals of one score: `alpha x relevance x reliability + (1 - alpha) x graph`."""

    words: float
    meaning: float | None
    relevance: float
    reliability: float
    graph: float
    alpha: float
    exact: bool


class ToolRow(TypedDict):
    """A tool that may fit."""

    id: str
    server: str
    name: str
    description: str
    score: float
    why: ToolWhyRow


class DiscoverOutput(TypedDict):
    """`recollect gateway discover`: tools best first; `fits` is false when the first probably does not.

    `capabilities` are code that worked and fits, best first.
    """

    query: str
    fits: bool
    confidence: float
    by_meaning: bool
    tools: list[ToolRow]
    capabilities: list[CapabilitySummary]


def discover_output(
    query: str, discovery: Discovery, capabilities: "Sequence[CapabilityHit]", *, by_meaning: bool
) -> DiscoverOutput:
    """What a search for tools answers."""
    return {
        "query": query,
        "fits": discovery.fits,
        "confidence": round(discovery.confidence, 4),
        "by_meaning": by_meaning,
        "tools": [tool_row(hit) for hit in discovery.hits],
        "capabilities": [capability_summary(hit.capability) for hit in capabilities],
    }


def tool_row(hit: ToolHit) -> ToolRow:
    """One tool with its score and the reasons."""
    return {
        "id": hit.tool.id,
        "server": hit.tool.server,
        "name": hit.tool.name,
        "description": hit.tool.description,
        "score": round(hit.why.score, 4),
        "why": _why(hit.why),
    }


def _why(why: ToolExplanation) -> ToolWhyRow:
    return {
        "words": round(why.words, 4),
        "meaning": None if why.meaning is None else round(why.meaning, 4),
        "relevance": round(why.relevance, 4),
        "reliability": round(why.reliability, 4),
        "graph": round(why.graph, 4),
        "alpha": round(why.alpha, 4),
        "exact": why.exact,
    }


class ServerRow(TypedDict):
    """A configured server: how it is reached, what its last list of tools said, and what runs of it now.

    `state` is `configured`, `known` (it listed its tools), `started` or `leased` (it has clients).
    """

    name: str
    transport: str
    target: str
    enabled: bool
    tools: int
    listed_at: str | None
    blocked: int
    flagged: int
    state: str
    clients: int
    calls: int
    pids: list[int]
    failures: int
    breaker: str


class GatewayListOutput(TypedDict):
    """`recollect gateway list`: the configured servers, and the file that has them."""

    file: str
    servers: list[ServerRow]


class GatewayChangeOutput(TypedDict):
    """`recollect gateway add` and `gateway remove`: the server, and the file that was written."""

    server: str
    file: str


class GatewayRestartOutput(TypedDict):
    """`recollect gateway restart`: the server, and how many processes of it were stopped."""

    server: str
    stopped: int


class GatewayLogsOutput(TypedDict):
    """`recollect gateway logs`: the last lines that a server wrote to standard error."""

    server: str
    file: str
    lines: list[str]


class TestedRow(TypedDict):
    """A server that was started and asked for its tools; `error` is null when it answered."""

    name: str
    tools: int
    added: list[str]
    removed: list[str]
    changed: list[str]
    repeated: list[str]
    blocked: list[str]
    flagged: list[str]
    error: str | None


class GatewayTestOutput(TypedDict):
    """`recollect gateway test`: what each server answered."""

    servers: list[TestedRow]


def server_row(state: "ServerState") -> ServerRow:
    """One server of a list. Arguments, variables and headers may name secrets and are left out."""
    server = state.upstream.server
    if isinstance(server, StdioServer):
        transport, target = "stdio", server.command
    else:
        transport, target = server.kind, server.url
    return {
        "name": state.upstream.name,
        "transport": transport,
        "target": target,
        "enabled": state.upstream.enabled,
        "tools": state.tools,
        "listed_at": state.listed_at or None,
        "blocked": state.blocked,
        "flagged": state.flagged,
        "state": _state(state),
        "clients": state.running.clients,
        "calls": state.running.calls,
        "pids": list(state.running.pids),
        "failures": state.running.failures,
        "breaker": state.running.breaker,
    }


def _state(state: "ServerState") -> str:
    if state.running.clients:
        return "leased"
    if state.running.pids:
        return "started"
    return "known" if state.listed_at else "configured"


def tested_row(name: str, outcome: "Refreshed | str") -> TestedRow:
    """What a server answered, or why it did not."""
    if isinstance(outcome, str):
        return {
            "name": name,
            "tools": 0,
            "added": [],
            "removed": [],
            "changed": [],
            "repeated": [],
            "blocked": [],
            "flagged": [],
            "error": outcome,
        }
    return {
        "name": name,
        "tools": outcome.tools,
        "added": list(outcome.change.added),
        "removed": list(outcome.change.removed),
        "changed": list(outcome.change.changed),
        "repeated": list(outcome.change.repeated),
        "blocked": list(outcome.blocked),
        "flagged": list(outcome.flagged),
        "error": None,
    }
