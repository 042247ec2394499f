"""Search over the skill graph: pages that match the query's words, then their neighbours. Pure.

A page scores by the share of the query that it matches; words are weighted by rarity and by the field they
match. A neighbour of a match gets part of its score, less at each hop and less from a hub, because an edge of
a page that links to everything says little.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log, log2
from types import MappingProxyType

from recollect.graph.cross_edges import CrossEdge
from recollect.graph.skill_page import SkillPage
from recollect.graph.skills import SkillGraph, SkillNode
from recollect.ids import UnifiedId

Words = Callable[[str], Sequence[str]]  # the terms of a text
Hits = list[tuple[UnifiedId, float]]

TITLE, TAGS, DESCRIPTION, HEADINGS, TEXT = 1.0, 0.8, 0.7, 0.6, 0.3
LEAST = 0.15  # score of a match: half of a two-word query, in the text alone
SEEDS = 10  # matches whose neighbours are searched
HOPS = 2
DECAY = 0.5
FRONT = 100  # pages of the first hop whose neighbours are searched
MOST = 10
MOST_TERMS = 32  # of a query, the rarest


@dataclass(frozen=True, slots=True)
class SkillSearch:
    """A skill graph with its word index. Immutable like the graph."""

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
        """The hits for `text`, best first, ties by id; scores are 0..1.

        Memories that matching skills describe or govern are among the hits. `seeds` are memories that other
        channels found, with their scores; their neighbours are hits too. `crossing` are edges from memories
        to skills.
        """
        matched = self._matched(text)
        start = dict(matched[:SEEDS])
        for id, score in seeds[:SEEDS]:
            start[id] = max(start.get(id, 0.0), min(score, 1.0))
        scores = dict(matched)
        for id, score in self._reached(start, _both_ways(crossing)).items():
            scores[id] = max(scores.get(id, 0.0), score)
        return _best(scores.items(), limit)

    def _matched(self, text: str) -> Hits:
        terms = {term: self._rarity(term) for term in self.words(text)}
        rarest = sorted(terms.items(), key=lambda term: (-term[1], term[0]))[:MOST_TERMS]
        scores: dict[UnifiedId, float] = {}
        for term, rarity in rarest:
            for id, weight in self.postings.get(term, ()):
                scores[id] = scores.get(id, 0.0) + rarity * weight
        total = sum(rarity for _, rarity in rarest)
        return _best(((id, min(score / total, 1.0)) for id, score in scores.items()), None, LEAST)

    def _rarity(self, term: str) -> float:
        return log(1 + (1 + len(self.graph.nodes)) / (1 + len(self.postings.get(term, ()))))

    def _reached(
        self, start: Mapping[UnifiedId, float], more: Mapping[UnifiedId, set[UnifiedId]]
    ) -> dict[UnifiedId, float]:
        """The best score of each node within HOPS of `start`, without `start` itself."""
        scores: dict[UnifiedId, float] = {}
        front: Iterable[tuple[UnifiedId, float]] = start.items()
        for _ in range(HOPS):
            reached: dict[UnifiedId, float] = {}
            for here, score in front:
                neighbours = {*self.graph.neighbours.get(here, ()), *more.get(here, ())}
                passed = score * DECAY / log2(1 + len(neighbours)) if neighbours else 0.0
                for there in neighbours:
                    if passed > max(
                        scores.get(there, 0.0), reached.get(there, 0.0), start.get(there, 0.0)
                    ):
                        reached[there] = passed
            scores |= reached
            front = _best(reached.items(), FRONT)
        return scores


def _both_ways(crossing: Iterable[CrossEdge]) -> dict[UnifiedId, set[UnifiedId]]:
    neighbours: dict[UnifiedId, set[UnifiedId]] = {}
    for edge in crossing:
        neighbours.setdefault(edge.source, set()).add(edge.target)
        neighbours.setdefault(edge.target, set()).add(edge.source)
    return neighbours


def _best(
    scored: Iterable[tuple[UnifiedId, float]], limit: int | None, least: float = 0.0
) -> list[tuple[UnifiedId, float]]:
    enough = (hit for hit in scored if hit[1] >= least)
    return sorted(enough, key=lambda hit: (-hit[1], hit[0]))[:limit]


def searchable(graph: SkillGraph, words: Words) -> SkillSearch:
    """Index the words of a graph."""
    postings: dict[str, list[tuple[UnifiedId, float]]] = {}
    for id, node in graph.nodes.items():
        for term, weight in _weights(node, words).items():
            postings.setdefault(term, []).append((id, weight))
    frozen = {term: tuple(pages) for term, pages in postings.items()}
    return SkillSearch(graph, words, MappingProxyType(frozen))


def _weights(node: SkillNode, words: Words) -> dict[str, float]:
    """The weight of each term of a page: that of the best field it occurs in."""
    title = f"{node.title} {node.name} {node.id.removeprefix('skill:')}"
    weights = dict.fromkeys(words(title), TITLE)
    fields = node.terms or field_terms(node, words)
    for terms, weight in zip(fields, (TAGS, DESCRIPTION, HEADINGS, TEXT), strict=True):
        for term in terms:
            weights.setdefault(term, weight)
    return weights


def field_terms(page: SkillNode | SkillPage, words: Words) -> tuple[tuple[str, ...], ...]:
    """The terms of a page's tags, description, headings and text; a term is in the first that has it."""
    fields = " ".join(page.tags), page.description, " ".join(page.headings), page.text
    seen: set[str] = set()
    result = []
    for text in fields:
        terms = tuple(dict.fromkeys(term for term in words(text) if term not in seen))
        seen.update(terms)
        result.append(terms)
    return tuple(result)
