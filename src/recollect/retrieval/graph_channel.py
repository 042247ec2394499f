"""The graph channel: memories linked to the hits of the other channels, and matching skills.

It runs after the others, because a walk needs seeds, and is fused with them. A skill is not a document of
the index, so it brings its own document, under a negative key.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from recollect.graph.cross_edges import CrossEdge
from recollect.graph.unified import TOP, GraphHits, GraphQuery, converging
from recollect.ids import UnifiedId, as_memory
from recollect.retrieval.fusion import CONVERGENCE, Fused
from recollect.retrieval.index import Document, Fact, Filters, Index, Key
from recollect.values import replaced

SEEDS = 10  # hits of the other channels that a walk starts from


class Graph(Protocol):
    """Both graphs as one. A graph that fails costs a warning, never an error."""

    def search(self, query: GraphQuery) -> GraphHits:
        """Memories and skills, best first, scores 0..1."""
        ...

    def crossing(self, ids: Sequence[UnifiedId]) -> Sequence[CrossEdge]:
        """The edges between memories and skills at any of `ids`."""
        ...

    def skills(self, ids: Sequence[UnifiedId]) -> Mapping[UnifiedId, Document]:
        """These skills as documents; deleted ones are left out."""
        ...


@dataclass(frozen=True, slots=True)
class GraphRanking:
    """The hits of the graphs as a channel: a ranking, and the facts of hits new to the search."""

    ranking: Sequence[tuple[Key, float]]
    facts: Mapping[Key, Fact]
    skills: Mapping[Key, Document]


def run_graph_channel(
    text: str,
    fused: Mapping[Key, Fused],
    facts: Mapping[Key, Fact],
    graph: Graph,
    index: Index,
    filters: Filters,
) -> GraphRanking:
    """Search the graphs from the best hits so far. Filters apply to their hits too."""
    seeds = [(facts[key].id, fused[key].score) for key in _best(fused, facts, SEEDS)]
    hits = graph.search(GraphQuery(text, seeds, graph.crossing([id for id, _ in seeds]))).hits
    keys = dict(index.keys([id for id, _ in hits if as_memory(id)], filters))
    new = dict(index.facts(list(keys.values())))
    skills = _skills([id for id, _ in hits if as_memory(id) is None], graph, filters)
    for key, skill in skills.items():
        keys[skill.id] = key
        new[key] = Fact(skill.id, skill.category, skill.priority)
    return GraphRanking([(keys[id], score) for id, score in hits if id in keys], new, skills)


def _best(fused: Mapping[Key, Fused], facts: Mapping[Key, Fact], count: int) -> list[Key]:
    return sorted(fused, key=lambda key: (-fused[key].score, facts[key].priority, facts[key].id))[
        :count
    ]


def _skills(ids: Sequence[UnifiedId], graph: Graph, filters: Filters) -> dict[Key, Document]:
    """Skills as documents. They have no status, tags or dates, so a filter by those excludes them."""
    relevant = replaced(filters, in_force_at=None, only_trusted=False, retained_since=())
    if relevant not in (Filters(), Filters(categories=frozenset({"skill"}))):
        return {}
    skills = graph.skills(ids)
    return {Key(-place): skills[id] for place, id in enumerate(ids, start=1) if id in skills}


def add_convergence_bonus(
    fused: Mapping[Key, Fused], facts: Mapping[Key, Fact], graph: Graph
) -> dict[Key, Fused]:
    """Add the convergence bonus to a memory and a skill that an edge joins, both among the best."""
    ids = [facts[key].id for key in _best(fused, facts, TOP)]
    joined = converging(ids, graph.crossing(ids))
    return {
        key: replaced(hit, bonus=hit.bonus + CONVERGENCE) if facts[key].id in joined else hit
        for key, hit in fused.items()
    }
