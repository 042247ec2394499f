"""The skill graph as `unified` asks it, and the edges of memories that lead to skills. Pure."""

from __future__ import annotations

from recollect.graph.cross import CrossEdge, CrossType
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
        return search().search(asked.text, limit, seeds=asked.seeds, crossing=asked.crossing)

    return ask


def implemented(edges: Iterable[Edge], graph: SkillGraph | None = None) -> list[CrossEdge]:
    """Those of `edges` that lead from a memory to the skill it implements.

    A skill that `graph` knows in another case is called as it is there; one that it does not know has no
    edge. Without a graph every skill is taken at its word.
    """
    found = []
    for edge in edges:
        if edge.type is LinkType.IMPLEMENTS:
            node = graph.find(edge.target) if graph else None
            if node or graph is None:
                target = node.id if node else edge.target
                found.append(CrossEdge(edge.source, CrossType.IMPLEMENTS, target))
    return found
