"""The graph channel: what links lead to from what the other channels found, and the skills that fit.

Asked after the others, because a walk needs somewhere to begin, and fused beside them. A skill is no
document of the index: it comes with its own, and a key below zero.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from recollect.graph.cross_edges import CrossEdge
from recollect.graph.unified import TOP, Asked, GraphFound, converging
from recollect.ids import UnifiedId, as_memory
from recollect.retrieval.fusion import CONVERGENCE, Fused
from recollect.retrieval.index import Document, Fact, Filters, Index, Key
from recollect.values import replaced

SEEDS = 10  # hits of the other channels that a walk begins from


class Graph(Protocol):
    """Both graphs as one. A graph that fails costs a warning, never an error."""

    def search(self, asked: Asked) -> GraphFound:
        """Memories and skills, best first, scores 0..1."""
        ...

    def crossing(self, ids: Sequence[UnifiedId]) -> Sequence[CrossEdge]:
        """The edges between a memory and a skill that something among `ids` holds."""
        ...

    def skills(self, ids: Sequence[UnifiedId]) -> Mapping[UnifiedId, Document]:
        """These skills as documents; one that is gone is missing."""
        ...


@dataclass(frozen=True, slots=True)
class Linked:
    """What the graphs found, as a channel: its ranking, and what is to be known of what is new."""

    ranking: Sequence[tuple[Key, float]]
    facts: Mapping[Key, Fact]
    skills: Mapping[Key, Document]


def linked(
    text: str,
    fused: Mapping[Key, Fused],
    facts: Mapping[Key, Fact],
    graph: Graph,
    index: Index,
    filters: Filters,
) -> Linked:
    """Ask the graphs, starting from the best that was found. Filters hold for what they bring too."""
    seeds = [(facts[key].id, fused[key].score) for key in _best(fused, facts, SEEDS)]
    told = graph.search(Asked(text, seeds, graph.crossing([id for id, _ in seeds]))).hits
    keys = dict(index.keys([id for id, _ in told if as_memory(id)], filters))
    new = dict(index.facts(list(keys.values())))
    skills = _skills([id for id, _ in told if as_memory(id) is None], graph, filters)
    for key, skill in skills.items():
        keys[skill.id] = key
        new[key] = Fact(skill.id, skill.category, skill.priority)
    return Linked([(keys[id], score) for id, score in told if id in keys], new, skills)


def _best(fused: Mapping[Key, Fused], facts: Mapping[Key, Fact], count: int) -> list[Key]:
    return sorted(fused, key=lambda key: (-fused[key].score, facts[key].priority, facts[key].id))[
        :count
    ]


def _skills(ids: Sequence[UnifiedId], graph: Graph, filters: Filters) -> dict[Key, Document]:
    """Skills have no status, tags or dates of ours: who filters by those is after memories."""
    everything = replaced(filters, valid_at=None, only_trusted=False)
    if everything not in (Filters(), Filters(categories=frozenset({"skill"}))):
        return {}
    found = graph.skills(ids)
    return {Key(-place): found[id] for place, id in enumerate(ids, start=1) if id in found}


def converged(fused: Mapping[Key, Fused], facts: Mapping[Key, Fact], graph: Graph) -> dict[Key, Fused]:
    """Give a memory and a skill that an edge joins, both among the best, the bonus for meeting there."""
    ids = [facts[key].id for key in _best(fused, facts, TOP)]
    meeting = converging(ids, graph.crossing(ids))
    return {
        key: replaced(one, bonus=one.bonus + CONVERGENCE) if facts[key].id in meeting else one
        for key, one in fused.items()
    }
