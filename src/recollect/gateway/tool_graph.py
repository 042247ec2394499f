"""What was called after what: the tool graph, and how related a tool is to the tools in use.

The graph is undirected here. `weight` of an edge is at most 1; only tools that were observed are nodes.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log
from typing import Literal

from recollect.gateway import weights


@dataclass(frozen=True, slots=True)
class ToolGraph:
    """The neighbours of each tool that was observed, with the weight of the edge, and how often it was.

    `capabilities` has the tools that code which worked contains, with the weights of these edges. They are
    neighbours of none of them: code that calls two tools does not say that one follows the other.
    """

    neighbours: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    observations: Mapping[str, int] = field(default_factory=dict)
    capabilities: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def of(self, tool: str) -> Mapping[str, float]:
        """The neighbours of one tool."""
        return self.neighbours.get(tool, {})

    def beside(self, tool: str) -> set[str]:
        """The tools that are in a capability with this one."""
        return {other for tools in self.capabilities.values() if tool in tools for other in tools} - {
            tool
        }


def tool_graph(edges: Iterable[tuple[str, str, float]], observations: Mapping[str, int]) -> ToolGraph:
    """A graph of weighted edges; of several between two tools the heaviest counts, and no loops.

    `observations` says how often each tool was seen in use.
    """
    neighbours: dict[str, dict[str, float]] = {}
    for source, target, weight in edges:
        if source == target:
            continue
        for tool, other in ((source, target), (target, source)):
            known = neighbours.setdefault(tool, {})
            known[other] = max(known.get(other, 0.0), min(weight, 1.0))
    return ToolGraph(neighbours, observations)


EdgeType = Literal["dependency", "contains", "sequence"]
EdgeOrigin = Literal["inferred", "template"]
_TYPES = {
    "dependency": weights.DEPENDENCY,
    "contains": weights.CONTAINS,
    "sequence": weights.SEQUENCE,
}
_ORIGINS = {"inferred": weights.INFERRED, "template": weights.TEMPLATE}


@dataclass(frozen=True, slots=True)
class ToolEdge:
    """An edge as it is stored, from one tool's id to another's, with how often it was observed."""

    source: str
    target: str
    count: int = 1
    type: EdgeType = "sequence"
    origin: EdgeOrigin = "inferred"

    @property
    def weight(self) -> float:
        """By type and origin; enough observations make any edge an observed one."""
        is_observed = self.count >= weights.PROMOTED
        return _TYPES[self.type] * (weights.OBSERVED if is_observed else _ORIGINS[self.origin])


def graph_of(edges: Sequence[ToolEdge]) -> ToolGraph:
    """The graph that stored edges make. A tool was observed as often as it led to others or followed them."""
    contained = [edge for edge in edges if edge.type == "contains"]
    edges = [edge for edge in edges if edge.type != "contains"]
    counts: Counter[tuple[str, str]] = Counter()
    for edge in edges:
        pair = (edge.source, edge.target)
        counts[pair] = max(counts[pair], edge.count)  # a dependency is often a sequence too
    leads: Counter[str] = Counter()
    follows: Counter[str] = Counter()
    for (source, target), count in counts.items():
        if source != target:
            leads[source] += count
            follows[target] += count
    observations = {tool: max(leads[tool], follows[tool]) for tool in leads | follows}
    graph = tool_graph(((edge.source, edge.target, edge.weight) for edge in edges), observations)
    capabilities: dict[str, dict[str, float]] = {}
    for edge in contained:
        capabilities.setdefault(edge.source, {})[edge.target] = edge.weight
    return replace(graph, capabilities=capabilities)


def local_density(graph: ToolGraph, context: Collection[str]) -> float:
    """Edges among the context's tools and their neighbours, over all that could be."""
    nodes = {tool for tool in context if graph.of(tool)}
    nodes |= {other for tool in context for other in graph.of(tool)}
    if len(nodes) < 2:
        return 0.0
    edges = sum(1 for node in nodes for other in graph.of(node) if other in nodes) / 2
    return edges / (len(nodes) * (len(nodes) - 1) / 2)


def evidence(graph: ToolGraph, context: Collection[str]) -> float:
    """How far the graph is to be believed about a context, 0 to 1: by how often its tools were observed.

    The neighbourhood of a tool that was seen once is as dense as can be, and says nothing yet.
    """
    seen = max((graph.observations.get(tool, 0) for tool in context), default=0)
    return seen / (seen + weights.OBSERVATIONS)


def relevance_share(
    density: float,
    evidence: float = 1.0,
    floor: float = weights.ALPHA_FLOOR,
    slope: float = weights.DENSITY_SLOPE,
) -> float:
    """Alpha: the share of relevance in the final score; the graph has the rest, as far as it is believed."""
    alpha = max(float(floor), 1 - slope * density)
    return 1 - (1 - alpha) * evidence


def expansion(density: float) -> float:
    """How many candidates are scored for each hit that is wanted."""
    if density < weights.COLD_DENSITY:
        return weights.COLD_EXPANSION
    return weights.GROWING_EXPANSION if density < weights.GROWING_DENSITY else weights.FULL_EXPANSION


def relatedness(graph: ToolGraph, tool: str, context: Collection[str]) -> float:
    """1 with a direct edge to a tool of the context, else by what they share (Adamic-Adar).

    That is neighbours, and capabilities that contain both.
    """
    if tool in context or any(tool in graph.of(other) for other in context):
        return 1.0
    best = max((_adamic_adar(graph, tool, other) for other in context), default=0.0)
    return min(best / weights.ADAMIC_ADAR_SCALE, 1.0)


def _adamic_adar(graph: ToolGraph, first: str, second: str) -> float:
    """Neighbours in common, each by the weight of its edges and less the more neighbours it has."""
    others = graph.of(second)
    shared = sum(
        weight * others[node] / log(max(len(graph.of(node)), 2))
        for node, weight in graph.of(first).items()
        if node in others
    )
    return shared + sum(
        tools[first] * tools[second] / log(max(len(tools), 2))
        for tools in graph.capabilities.values()
        if first in tools and second in tools
    )
