"""The gate: are the best hits worth interrupting for? Saying nothing is a good answer.

Two questions, each a calibrated probability from signals that have a scale of their own (a BM25 score has
none). Is the prompt about something that is known here? And is the memory it wants among the few that
would be given? Their product must reach a threshold. Everyday words count for little: without that, `run
the tests again` would be covered whole by any memory about tests. And the more a prompt says, the less it
proves that some of it is found: a pasted log has a word in common with nearly everything. The weights were
fitted by logistic regression over labelled sets (docs/measurements/fit_gate.py), each left out in turn to
see how they carry over (docs/measurements/gate.md).
"""

from __future__ import annotations

from itertools import pairwise
from math import exp

from recollect.retrieval.common_words import everyday
from recollect.retrieval.query import KEPT_WHOLE
from recollect.retrieval.query import idf as rarity
from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recollect.retrieval.index import Index
    from recollect.retrieval.query import Query
    from recollect.retrieval.search import Candidate

WINDOW = 60  # tokens: the best stretch of a long text, so that length alone covers nothing
ENOUGH = 8  # different query terms found together; more say no more
PAIRS = 3  # likewise, of words that follow each other
TELLING = 3  # of the terms found, the rarest: one rare word may be chance, three are a subject
EVERYDAY_SHARE = 0.3  # of what an everyday word would count for; 0 would silence prompts made of them
# How fast the chance of a hit falls with its score (0..1) and its cosine, against others of one ranking.
SCORE_STEEPNESS = 7.0
COSINE_STEEPNESS = 20.0
_MOST_STEMS = 4_000  # of a body that are looked at


class Signals(Frozen):
    """What is known of a prompt and its best hit, each 0..1; `cosine` only when a model read them.

    `ahead` is of all the hits that would be given.
    """

    coverage: float  # share of the query, by what its terms tell, in title, tags and one stretch
    together: float  # different query terms found there
    phrase: float  # words that follow each other there as in the query
    telling: float  # how rare the rarest terms found are; 1 when each is in one document alone
    everyday: float  # share of the query's terms that people use about any work
    named: float  # 1 when it is about a file that was named or touched
    ahead: float  # the chance that what is looked for is among these, if it is in the ranking at all
    cosine: float | None
    length: float = 0.0  # different words that were said; 1 from where a prompt is not looked for whole


class Weights(Frozen):
    """A logistic model: a bias, and what each signal counts."""

    bias: float
    coverage: float = 0.0
    together: float = 0.0
    phrase: float = 0.0
    telling: float = 0.0
    everyday: float = 0.0
    named: float = 0.0
    ahead: float = 0.0
    cosine: float = 0.0
    length: float = 0.0


class Calibration(Frozen):
    """Whether a prompt is about what is known here, whether the answer is given, and how sure to be."""

    about: Weights
    found: Weights
    threshold: float


LEXICAL = Calibration(
    about=Weights(-2.7, coverage=2.8, together=6.0, phrase=3.1, everyday=-2.7, named=1.6, length=-0.9),
    found=Weights(-2.2, coverage=0.7, telling=2.9, ahead=2.3),
    threshold=0.41,
)
HYBRID = Calibration(
    about=Weights(
        -10.6,
        coverage=1.8,
        together=4.5,
        phrase=1.7,
        everyday=-2.5,
        named=1.5,
        length=-2.4,
        cosine=17.4,
    ),
    found=Weights(-1.7, telling=1.8, ahead=3.0),
    threshold=0.675,
)


class GateVerdict(Frozen):
    """What the gate decided, and from what."""

    probability: float
    threshold: float
    signals: Signals | None

    @property
    def passed(self) -> bool:
        return self.signals is not None and self.probability >= self.threshold


def judge(found: Signals | None, threshold: float | None = None) -> GateVerdict:
    """Decide. Nothing found is nothing worth saying; `threshold` overrides the calibrated one."""
    used = HYBRID if found is not None and found.cosine is not None else LEXICAL
    limit = used.threshold if threshold is None else threshold
    return GateVerdict(0.0 if found is None else probability(found, used), limit, found)


def probability(found: Signals, of: Calibration) -> float:
    """That the prompt is about something known here, and that what it wants is among what is given."""
    return _logistic(found, of.about) * _logistic(found, of.found)


def _logistic(found: Signals, weights: Weights) -> float:
    evidence = (
        weights.bias
        + weights.coverage * found.coverage
        + weights.together * found.together
        + weights.phrase * found.phrase
        + weights.telling * found.telling
        + weights.everyday * found.everyday
        + weights.named * found.named
        + weights.ahead * found.ahead
        + weights.cosine * (found.cosine or 0.0)
        + weights.length * found.length
    )
    return 1 / (1 + exp(-evidence))


def signals(query: Query, ranking: Sequence[Candidate], index: Index, given: int) -> Signals | None:
    """Look at the best of what was ranked, of which the first `given` would be given.

    None when there is nothing to look for.
    """
    if not query.terms:
        return None
    stems = [term.stem for term in query.terms]
    common = everyday(stems)
    tells = {
        term.stem: term.idf * (EVERYDAY_SHARE if term.stem in common else 1.0) for term in query.terms
    }
    head, body = index.stemmed(ranking[0].key)
    body = body[:_MOST_STEMS]
    mass, found = best_stretch(head, body, tells)
    cosines = _cosines(ranking)
    return Signals(
        coverage=mass / (sum(tells.values()) or 1.0),
        together=min(len(found), ENOUGH) / ENOUGH,
        phrase=min(_in_a_row(query.pairs, head, body), PAIRS) / PAIRS,
        telling=_telling([tells[stem] for stem in found], index.size),
        everyday=len(common) / len(stems),
        named=float(_raw(ranking[0], "files") is not None),
        ahead=_ahead([one.score for one in ranking], cosines, given),
        cosine=cosines[0] if cosines else None,
        length=min(query.said, KEPT_WHOLE) / KEPT_WHOLE,
    )


def _telling(found: Sequence[float], documents: int) -> float:
    most = rarity(documents, 1)
    return sum(min(one / most, 1.0) for one in sorted(found, reverse=True)[:TELLING]) / TELLING


def _raw(one: Candidate, channel: str) -> float | None:
    parts = one.explanation.fused.parts
    return next((part.raw for part in parts if part.channel == channel), None)


def _cosines(ranking: Sequence[Candidate]) -> list[float]:
    """The cosine of each; of one that is not among the nearest, the least of theirs. Empty without any."""
    found = [_raw(one, "vector") for one in ranking]
    known = [cosine for cosine in found if cosine is not None]
    least = min(known, default=0.0)
    return [least if cosine is None else cosine for cosine in found] if known else []


def _ahead(scores: Sequence[float], cosines: Sequence[float], given: int) -> float:
    """What the first few have of a softmax over the ranking: near 1 when the rest is far behind."""
    heights = [SCORE_STEEPNESS * score for score in scores]
    if cosines:
        heights = [
            height + COSINE_STEEPNESS * cosine for height, cosine in zip(heights, cosines, strict=True)
        ]
    top = max(heights)
    chances = [exp(height - top) for height in heights]
    return sum(chances[:given]) / sum(chances)


def best_stretch(
    head: Sequence[str], body: Sequence[str], idf: Mapping[str, float]
) -> tuple[float, set[str]]:
    """The most that one stretch of the body, with title and tags, has of the query: its weight, its terms."""
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


def _in_a_row(pairs: Sequence[tuple[str, str]], head: Sequence[str], body: Sequence[str]) -> int:
    """How many of these pairs follow each other in the document."""
    there = {*pairwise(head), *pairwise(body)}
    return sum(pair in there for pair in pairs)
