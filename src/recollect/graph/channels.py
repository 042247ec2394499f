"""The skill graph as `unified` asks it, and the edges of memories that lead to skills. Pure."""

from __future__ import annotations

from recollect.graph.cross_edges import CrossEdge, CrossType
from recollect.records.record import LinkType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from recollect.graph.causal import Edge
    from recollect.graph.skill_search import SkillSearch
    from recollect.graph.skills import SkillGraph
    from recollect.graph.unified import Asked, GraphSearch, Hits


def skill_channel(search: Callable[[], SkillSearch]) -> GraphSearch:
    """The skill graph: what fits the text, and what is next to that and to what was found.

    `search` gives the graph; having to read the skill folders first counts as the graph's own time.
    """

    def ask(asked: Asked, limit: int) -> Hits:
        found = search()
        crossing = resolved(asked.crossing, found.graph)
        return found.search(asked.text, limit, seeds=asked.seeds, crossing=crossing)

    return ask


def implemented(edges: Iterable[Edge]) -> list[CrossEdge]:
    """Those of `edges` that lead from a memory to the skill it implements, which is taken at its word."""
    return [
        CrossEdge(edge.source, CrossType.IMPLEMENTS, edge.target)
        for edge in edges
        if edge.type is LinkType.IMPLEMENTS
    ]


def resolved(crossing: Iterable[CrossEdge], graph: SkillGraph) -> list[CrossEdge]:
    """The edges with their skills called as `graph` calls them; one to a skill it does not know is none.

    An id that differs in case only is known, as long as no other page can be meant.
    """
    found = []
    for edge in crossing:
        if edge.type is not CrossType.IMPLEMENTS:
            found.append(edge)
        elif node := graph.find(edge.target):
            found.append(CrossEdge(edge.source, edge.type, node.id))
    return found
