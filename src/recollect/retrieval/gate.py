"""The gate: is the best hit worth interrupting for? Saying nothing is a good answer.

A calibrated probability that a memory worth having is among the first three, from signals that have a
scale of their own; a BM25 score has none. Everyday words count for little: without that, `run the tests
again` would be covered whole by any memory about tests. The weights were fitted by logistic regression
over six labelled sets, each left out in turn to see how they carry over (docs/measurements/gate.md).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp
from typing import TYPE_CHECKING

from recollect.retrieval.everyday import everyday
from recollect.retrieval.index import Document, Index
from recollect.retrieval.query import Query
from recollect.retrieval.query import idf as rarity
from recollect.retrieval.tokens import tokens

if TYPE_CHECKING:
    from recollect.retrieval.search import Candidate

WINDOW = 60  # tokens: the best stretch of a long text, so that length alone covers nothing
ENOUGH = 8  # different query terms found together; more say no more
PAIRS = 3  # likewise, of neighbours that stay neighbours
TELLING = 3  # of the terms found, the rarest: one rare word may be chance, three are a subject
EVERYDAY_SHARE = 0.3  # of what an everyday word would count for; 0 would silence prompts made of them
_OTHERS = 9  # hits that the best is compared with
_MOST_TEXT = 20_000  # characters of a body that are looked at


@dataclass(frozen=True, slots=True)
class Signals:
    """What is known of the best hit, each 0..1; `cosine` only when a model read it.

    `margin` is negative when the best hit is not the best by words.
    """

    coverage: float  # share of the query, by what its terms tell, in title, tags and one stretch
    together: float  # different query terms found there
    phrase: float  # neighbours of the query that are neighbours there
    margin: float  # how far the best stands above the next
    cosine: float | None
    telling: float = 0.0  # how rare the rarest terms found are; 1 when each is in one document alone
    named: float = 0.0  # 1 when it is about a file that was named or touched


@dataclass(frozen=True, slots=True)
class Weights:
    """A logistic model over the signals, and the probability from which on we speak."""

    bias: float
    coverage: float
    together: float
    phrase: float
    margin: float
    cosine: float
    threshold: float
    telling: float = 0.0
    named: float = 0.0


LEXICAL = Weights(-4.4, 2.1, 3.0, 0.6, 0.3, 0.0, threshold=0.28, telling=3.1, named=3.4)
HYBRID = Weights(-10.3, 1.7, 0.7, 0.7, 0.7, 11.2, threshold=0.45, telling=2.1, named=3.4)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the gate decided, and from what."""

    probability: float
    threshold: float
    signals: Signals | None

    @property
    def passed(self) -> bool:
        return self.signals is not None and self.probability >= self.threshold


def judge(found: Signals | None, threshold: float | None = None) -> Verdict:
    """Decide. Nothing found is nothing worth saying; `threshold` overrides the calibrated one."""
    weights = HYBRID if found is not None and found.cosine is not None else LEXICAL
    limit = weights.threshold if threshold is None else threshold
    return Verdict(0.0 if found is None else probability(found, weights), limit, found)


def probability(found: Signals, weights: Weights) -> float:
    """The logistic model."""
    evidence = (
        weights.bias
        + weights.coverage * found.coverage
        + weights.together * found.together
        + weights.phrase * found.phrase
        + weights.margin * found.margin
        + weights.cosine * (found.cosine or 0.0)
        + weights.telling * found.telling
        + weights.named * found.named
    )
    return 1 / (1 + exp(-evidence))


def signals(
    query: Query, best: Document, ranking: Sequence["Candidate"], index: Index
) -> Signals | None:
    """Look at the best hit among those ranked. None when there is nothing to look for."""
    if not query.terms:
        return None
    stems = [term.stem for term in query.terms]
    common = everyday(stems, index.stems)
    tells = {
        term.stem: term.idf * (EVERYDAY_SHARE if term.stem in common else 1.0) for term in query.terms
    }
    head, body = _stems(best, index)
    mass, found = _stretch(head, body, tells)
    return Signals(
        coverage=mass / (sum(tells.values()) or 1.0),
        together=min(len(found), ENOUGH) / ENOUGH,
        phrase=min(_neighbours(stems, head, body), PAIRS) / PAIRS,
        margin=_margin([_raw(one, "lexical") or 0.0 for one in ranking]),
        cosine=_raw(ranking[0], "vector"),
        telling=_telling([tells[stem] for stem in found], index.size),
        named=float(_raw(ranking[0], "files") is not None),
    )


def _telling(found: Sequence[float], documents: int) -> float:
    most = rarity(documents, 1)
    return sum(min(one / most, 1.0) for one in sorted(found, reverse=True)[:TELLING]) / TELLING


def _stems(document: Document, index: Index) -> tuple[Sequence[str], Sequence[str]]:
    head = index.stems(tokens(f"{document.title} {' '.join(document.tags)}"))
    return head, index.stems(tokens(document.body[:_MOST_TEXT]))


def _raw(one: "Candidate", channel: str) -> float | None:
    parts = one.explanation.fused.parts
    return next((part.raw for part in parts if part.channel == channel), None)


def _margin(scores: Sequence[float]) -> float:
    best, others = scores[0], sorted(scores[1:], reverse=True)[:_OTHERS]
    if best <= 0:
        return 0.0
    return max(1 - sum(others) / len(others) / best, -1.0) if others else 1.0


def best_stretch(
    head: Sequence[str], body: Sequence[str], idf: Mapping[str, float]
) -> tuple[float, int]:
    """The most that one stretch of the body, with title and tags, has of the query: (mass, terms)."""
    mass, found = _stretch(head, body, idf)
    return mass, len(found)


def _stretch(
    head: Sequence[str], body: Sequence[str], idf: Mapping[str, float]
) -> tuple[float, set[str]]:
    found = sure = {stem for stem in head if stem in idf}
    mass = best = sum(idf[stem] for stem in sure)
    low = 0
    inside: dict[str, int] = {}
    places = [(place, stem) for place, stem in enumerate(body) if stem in idf and stem not in sure]
    for place, stem in places:
        inside[stem] = inside.get(stem, 0) + 1
        mass += idf[stem] if inside[stem] == 1 else 0.0
        while places[low][0] <= place - WINDOW:
            left = places[low][1]
            inside[left] -= 1
            if not inside[left]:
                del inside[left]
                mass -= idf[left]
            low += 1
        if mass > best:
            best, found = mass, sure.union(inside)
    return best, found


def _neighbours(query: Sequence[str], head: Sequence[str], body: Sequence[str]) -> int:
    """Pairs of neighbouring query terms that are neighbours in the document, either way round."""
    near = {*pairwise(head), *pairwise(body)}
    return sum((one, two) in near or (two, one) in near for one, two in pairwise(query))
