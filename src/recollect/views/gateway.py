"""Tools that were found, as JSON."""

from typing import TypedDict

from recollect.gateway.discovery import Discovery, ToolExplanation, ToolHit


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
    """`recollect gateway discover`: tools best first; `fits` is false when the first probably does not."""

    query: str
    fits: bool
    confidence: float
    by_meaning: bool
    tools: list[ToolRow]


def discover_output(query: str, discovery: Discovery, *, by_meaning: bool) -> DiscoverOutput:
    """What a search for tools answers."""
    return {
        "query": query,
        "fits": discovery.fits,
        "confidence": round(discovery.confidence, 4),
        "by_meaning": by_meaning,
        "tools": [tool_row(hit) for hit in discovery.hits],
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
