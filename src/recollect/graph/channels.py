"""The skill graph as a graph of `unified`, and the links from memories to skills. Pure."""

from __future__ import annotations

from recollect.graph.cross_edges import CrossEdge, CrossType
from recollect.records.record import LinkType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from recollect.graph.causal import Edge
    from recollect.graph.skill_search import SkillSearch
    from recollect.graph.skills import SkillGraph
    from recollect.graph.unified import GraphQuery, GraphSearch, Hits


def skill_channel(search: Callable[[], SkillSearch]) -> GraphSearch:
    """The skill graph: pages that match the text, and the neighbours of those and of the seeds.

    `search` gives the graph. Reading the skill folders cannot be interrupted; it is bounded by their size.
    """

    def ask(query: GraphQuery, limit: int, _seconds: float) -> Hits:
        skills = search()
        crossing = resolved(query.crossing, skills.graph)
        return skills.search(query.text, limit, seeds=query.seeds, crossing=crossing)

    return ask


def implemented(edges: Iterable[Edge]) -> list[CrossEdge]:
    """The `implements` links among `edges`, from a memory to a skill that may not exist."""
    return [
        CrossEdge(edge.source, CrossType.IMPLEMENTS, edge.target)
        for edge in edges
        if edge.type is LinkType.IMPLEMENTS
    ]


def resolved(crossing: Iterable[CrossEdge], graph: SkillGraph) -> list[CrossEdge]:
    """The edges with the skill ids of `graph`; those to unknown skills are left out.

    An id that differs only in case is known if exactly one page matches it.
    """
    edges = []
    for edge in crossing:
        if edge.type is not CrossType.IMPLEMENTS:
            edges.append(edge)
        elif node := graph.find(edge.target):
            edges.append(CrossEdge(edge.source, edge.type, node.id))
    return edges
