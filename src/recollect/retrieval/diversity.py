"""Diversity: fewer hits that say the same thing. Maximal marginal relevance over the words of the hits."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from recollect.retrieval.index import Index
from recollect.retrieval.search import Candidate
from recollect.text.tokens import words

CANDIDATES = 200  # hits whose texts are compared
BALANCE = 0.7  # how much relevance counts against being new
_Hit = TypeVar("_Hit")


def diverse_first(candidates: list[Candidate], index: Index, count: int) -> list[Candidate]:
    """The candidates, with the first `count` chosen for diversity; the others follow in their order."""
    best = candidates[:CANDIDATES]
    documents = index.documents([hit.key for hit in best if hit.skill is None])
    chosen = diversified(
        best, lambda hit: hit.score, lambda hit: (hit.skill or documents[hit.key]).body, count
    )
    return chosen + [hit for hit in candidates if hit not in chosen]


def diversified(
    hits: Sequence[_Hit], score: Callable[[_Hit], float], text: Callable[[_Hit], str], count: int
) -> list[_Hit]:
    """Choose `count` of `hits`, one by one, by relevance minus similarity to those already chosen."""
    remaining = list(hits)
    tokens = {id(hit): {token for word in words(text(hit)) for token in word} for hit in remaining}
    chosen: list[_Hit] = []

    def worth(hit: _Hit) -> float:
        likeness = max((_jaccard(tokens[id(hit)], tokens[id(other)]) for other in chosen), default=0.0)
        return BALANCE * score(hit) - (1 - BALANCE) * likeness

    while remaining and len(chosen) < count:
        best = max(remaining, key=worth)  # the first of equals: the order of the ranking
        remaining.remove(best)
        chosen.append(best)
    return chosen


def _jaccard(left: set[str], right: set[str]) -> float:
    return len(left & right) / len(left | right) if left or right else 0.0
