"""Search over the skill graph: pages that match the words, then outward from them. Pure.

A page scores by the share of the question that it answers, words counted by how rare they are and where
they stand. What is next to a match gets some of its score, less at each hop and less from a hub: whose
neighbour everything is, it tells nothing about any one of them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log, log2
from types import MappingProxyType

from recollect.graph.cross_edges import CrossEdge
from recollect.graph.skills import SkillGraph, SkillNode
from recollect.ids import UnifiedId

Words = Callable[[str], Sequence[str]]  # the terms of a text, as they are compared
Hits = list[tuple[UnifiedId, float]]

TITLE, TAGS, DESCRIPTION, HEADINGS, TEXT = 1.0, 0.8, 0.7, 0.6, 0.3
LEAST = 0.15  # of a match: half of a two-word question, in the text alone
SEEDS = 10  # matches that are looked around
HOPS = 2
DECAY = 0.5
FRONT = 100  # reached pages that are looked around in turn
MOST = 10
MOST_TERMS = 32  # of a question, the rarest


@dataclass(frozen=True, slots=True)
class SkillSearch:
    """A skill graph that can be asked. Immutable like the graph in it."""

    graph: SkillGraph
    words: Words
    postings: Mapping[str, tuple[tuple[UnifiedId, float], ...]]

    def search(
        self,
        text: str,
        limit: int = MOST,
        *,
        seeds: Sequence[tuple[UnifiedId, float]] = (),
        crossing: Iterable[CrossEdge] = (),
    ) -> Hits:
        """What fits `text`, best first, equal ones by id; scores are 0..1.

        Memories that matching skills describe or govern are among the hits. `seeds` are memories found
        elsewhere, with their scores: the skills next to them count too. `crossing` are edges that
        memories hold.
        """
        matched = self._matched(text)
        start = dict(matched[:SEEDS])
        for id, score in seeds[:SEEDS]:
            start[id] = max(start.get(id, 0.0), min(score, 1.0))
        found = dict(matched)
        for id, score in self._reached(start, _both_ways(crossing)).items():
            found[id] = max(found.get(id, 0.0), score)
        return _best(found.items(), limit)

    def _matched(self, text: str) -> Hits:
        terms = {term: self._rarity(term) for term in self.words(text)}
        asked = sorted(terms.items(), key=lambda term: (-term[1], term[0]))[:MOST_TERMS]
        scores: dict[UnifiedId, float] = {}
        for term, rarity in asked:
            for id, weight in self.postings.get(term, ()):
                scores[id] = scores.get(id, 0.0) + rarity * weight
        whole = sum(rarity for _, rarity in asked)
        return _best(((id, min(score / whole, 1.0)) for id, score in scores.items()), None, LEAST)

    def _rarity(self, term: str) -> float:
        return log(1 + (1 + len(self.graph.nodes)) / (1 + len(self.postings.get(term, ()))))

    def _reached(
        self, start: Mapping[UnifiedId, float], more: Mapping[UnifiedId, set[UnifiedId]]
    ) -> dict[UnifiedId, float]:
        """What is within HOPS of `start`, by the best way there; not what the walk began from."""
        found: dict[UnifiedId, float] = {}
        front: Iterable[tuple[UnifiedId, float]] = start.items()
        for _ in range(HOPS):
            reached: dict[UnifiedId, float] = {}
            for here, score in front:
                near = {*self.graph.near.get(here, ()), *more.get(here, ())}
                passed = score * DECAY / log2(1 + len(near)) if near else 0.0
                for there in near:
                    if passed > max(
                        found.get(there, 0.0), reached.get(there, 0.0), start.get(there, 0.0)
                    ):
                        reached[there] = passed
            found |= reached
            front = _best(reached.items(), FRONT)
        return found


def _both_ways(crossing: Iterable[CrossEdge]) -> dict[UnifiedId, set[UnifiedId]]:
    near: dict[UnifiedId, set[UnifiedId]] = {}
    for edge in crossing:
        near.setdefault(edge.source, set()).add(edge.target)
        near.setdefault(edge.target, set()).add(edge.source)
    return near


def _best(
    scored: Iterable[tuple[UnifiedId, float]], limit: int | None, least: float = 0.0
) -> list[tuple[UnifiedId, float]]:
    kept = (hit for hit in scored if hit[1] >= least)
    return sorted(kept, key=lambda hit: (-hit[1], hit[0]))[:limit]


def searchable(graph: SkillGraph, words: Words) -> SkillSearch:
    """Make a graph ready to be asked."""
    postings: dict[str, list[tuple[UnifiedId, float]]] = {}
    for id, node in graph.nodes.items():
        for term, weight in _weights(node, words).items():
            postings.setdefault(term, []).append((id, weight))
    kept = {term: tuple(pages) for term, pages in postings.items()}
    return SkillSearch(graph, words, MappingProxyType(kept))


def _weights(node: SkillNode, words: Words) -> dict[str, float]:
    """Every term of a page, and how much it says there: as much as in the best place it stands."""
    weights: dict[str, float] = {}
    places = (
        (f"{node.title} {node.name} {node.id.removeprefix('skill:')}", TITLE),
        (" ".join(node.tags), TAGS),
        (node.description, DESCRIPTION),
        (" ".join(node.headings), HEADINGS),
        (node.text, TEXT),
    )
    for text, weight in places:
        for term in words(text):
            weights.setdefault(term, weight)
    return weights
