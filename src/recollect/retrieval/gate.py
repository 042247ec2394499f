"""The gate: are the best hits worth injecting? Injecting nothing is often right.

Two calibrated probabilities, computed from signals that have a fixed scale (a BM25 score has none): that
the prompt is about something known here, and that the memory it needs is among the hits to inject. Their
product must reach a threshold. Everyday words count little: otherwise any memory about tests would match
all of `run the tests again`. A match also proves less the longer the prompt is: a pasted log has a word in
common with nearly everything. The weights were fitted by logistic regression over labelled sets
(docs/measurements/fit_gate.py), with cross-validation over the sets (docs/measurements/gate.md).

Then the odds are shifted by what the prompt asks for. Memories say how things are done here: they help who
chooses or starts something, and seldom who corrects a label, whatever words the two share.
They are lowered where only a model finds the hit and is not sure of it.
"""

from __future__ import annotations

import re
from itertools import pairwise
from math import exp, log, sqrt

from recollect.retrieval.query import KEPT_WHOLE, opening
from recollect.retrieval.query import idf as rarity
from recollect.text import stemming
from recollect.values import Frozen, replaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from recollect.retrieval.index import Index
    from recollect.retrieval.query import Query
    from recollect.retrieval.search import Candidate

WINDOW = 60  # tokens of the best stretch of a text, so that a long text does not match by length alone
ENOUGH = 8  # different query terms in it; more do not count
PAIRS = 3  # adjacent query words in it; more do not count
TELLING = 3  # rarest matching terms: one rare word may be chance, three are a subject
EVERYDAY_SHARE = 0.3  # weight of an everyday word; with 0, prompts made of them would never pass
# How fast the chance of a hit falls with its score (0..1) and its cosine, within one ranking.
SCORE_STEEPNESS = 7.0
COSINE_STEEPNESS = 20.0
# Where words say nothing, the best hits of prompts about something else have cosines of .63 to .67, those of
# questions that are answered .68 and more (docs/measurements/gate.md).
SURE_COSINE = 0.7
UNSURE_RANGE = 0.2  # below it, in which doubt grows to its maximum
WORDS_SURE = 1.0  # log odds by words from which on there is no doubt
WORDS_RANGE = 4.0  # below it, in which doubt grows to its maximum
WANTED = "wanted."  # prefix of the weights of `SHIFTS` in a trace
SHIFTS = ("choice", "repair", "part", "doubt")
PART_BESIDE_MODEL = (
    0.35  # `part` where a model read the complete prompt: its threshold is higher already
)
_MOST_STEMS = 4_000  # of a body
_ASKED = 600  # characters of a prompt's prose in which it says what is to be done
_WORD = re.compile("[a-z]+")
# Everyday words: people use them about any work, so a match in a memory means little.
# The rarity of a word among sixty memories is not its rarity in what developers type: `ready` may be in only
# one memory and is still not a subject. English only, because most prompts are written in it; words of other
# languages count by their rarity in the index.
EVERYDAY = frozenset(
    """
    able actually add allow already another anyone anything ask away back bad best better big bit
    break bring build call care case change check choose clean clear close code come command comment
    commit complete consider continue copy correct create current date day debug delete describe
    detail different document done easy edit either end enough error even ever every everything
    example expect explain fail fast file find fine finish first fix folder follow found full
    function get give go going good got great guess hand happen hard hello help hey hi hold hope
    idea implement important improve include inside instead issue job keep kind know last late later
    leave left less let like line list little live long look lot main make many maybe mean mention
    merge message method mind minute missing moment month morning move much name need never new next
    nice note nothing number often ok okay old one open option output outside part pass paste people
    perhaps person pick place plan please plus point possible prefer print probably problem project
    pull push put question quick quickly quite rather read ready real really reason recommend
    refactor remove rename repeat reply report request rest result return revert review rewrite
    right run save say second see seem send set share short show simple simply single small soon
    sort sound source start state stay step still stop stuff suggest summarize summary support
    suppose sure switch take talk task tell test thank thanks thing think three time today together
    tomorrow top total tried true try turn two type understand undo update use user usual value
    variable version wait want warning way week well whole without wonder word work world worse
    write wrong year yes yesterday yet
    """.split()  # noqa: SIM905
)
# Words of a choice, a place, a permission, of people who depend on it, and of what begins or ends.
# English only, as above: a prompt without any of these words, or of the next ones, is judged by the rest.
CHOICE = frozenset(
    """
    adopt allowed always another anyone approach approval approve approved backfill begin belong belongs
    better bootstrap cache caching client clients colleague colleagues company consumer consumers
    contractor contractors convention create customer customers decide decided decision department
    deprecate deprecated drop every everybody everyone expose forbidden instead integrate introduce keep
    may memoize might migrate migration move must need needs never new nobody opinion or our ours own
    partner people permission permissions permitted plan policy prefer propose put rather replace retire
    rid rule rules scaffold second separate shall share should somebody someone start store strategy
    supplier suppliers support supposed switch team teams tenant tenants us vendor versus vs want wants
    we where whether
    """.split()  # noqa: SIM905
)
# Words of a repair, of a detail that one sees, or of how a tool is used: these hardly depend on what was
# decided. Words of a failure at run time are not among them: for those there are runbooks.
REPAIR = frozenset(
    """
    align aligned alignment ascending avatar background badge bigger black blink blinking blue blurry
    bold border bump button buttons capitalise capitalize caption caret cast centered changelog clipped
    color colors colour colours column comma command comment comments console correct cursor cut dark
    darker decrease default descending docs docstring duplicate duplicated escape example examples
    flicker flickers font formatter gray green grey heading height hide hover icon icons incorrect
    increase indent indentation invisible italic label labels larger latest lighter liner lint linter
    logo lower lowercase margin mean meaning means misaligned misspelled misspelt narrow narrower newest
    opacity order overlap overlaps padding pin pixel pixels placeholder px raise readme red regenerate
    regex rename renamed reword round row screenshot scroll scrollbar semicolon sentence shadow shortcut
    shorten smaller snippet sort sorted sorting spacing spelled spelling spinner stretched strip swap
    syntax text thumbnail tidy toolbar tooltip trailing trim truncate truncated twice typecheck typo
    typos underline unused update upgrade uppercase warning warnings white whitespace wider width
    wording wrong zoom
    """.split()  # noqa: SIM905
)


class Signals(Frozen):
    """Features of a prompt and its best hit, each 0..1; `cosine` is None without a model.

    `ahead` is about all the hits to inject.
    """

    coverage: float  # weighted share of the query's terms in title, tags and the best stretch
    together: float  # different query terms there
    phrase: float  # adjacent query words there
    telling: float  # rarity of the rarest matching terms; 1 if each is in only one document
    everyday: float  # share of the query's terms that are everyday words
    named: float  # 1 if it is about a file that the prompt names
    ahead: float  # the chance that the right memory is among these, if it is in the ranking
    cosine: float | None
    length: float = 0.0  # different words of the prompt; 1 if the prompt had to be shortened
    touched: float = 0.0  # 1 if it is about a file that a tool touched
    choice: float = 0.0  # words of a choice or a beginning in the prompt, per root of its length
    repair: float = 0.0  # words of a repair or a detail, in the same measure
    part: float = 0.0  # 1 if this is one part of a long prompt: many parts have many chances to match
    doubt: float = 0.0  # how little words say for a hit that the model is not sure of either


class Weights(Frozen):
    """A logistic model: a bias, and the weight of each signal."""

    bias: float
    coverage: float = 0.0
    together: float = 0.0
    phrase: float = 0.0
    telling: float = 0.0
    everyday: float = 0.0
    named: float = 0.0
    touched: float = 0.0
    ahead: float = 0.0
    cosine: float = 0.0
    length: float = 0.0


class Calibration(Frozen):
    """Models of "the prompt is about something known" and "the right memory is included", and a threshold.

    `choice`, `repair`, `part` and `doubt` are what these signals add to the log odds of both together.
    """

    about: Weights
    included: Weights
    threshold: float
    choice: float = 0.0
    repair: float = 0.0
    part: float = 0.0
    doubt: float = 0.0


LEXICAL = Calibration(
    about=Weights(
        -2.7,
        coverage=2.8,
        together=6.0,
        phrase=3.0,
        everyday=-2.7,
        named=3.9,
        touched=2.5,
        length=-0.9,
    ),
    included=Weights(-2.1, coverage=0.7, telling=2.8, named=1.8, ahead=2.3),
    threshold=0.41,
    choice=2.0,
    repair=-4.0,
    part=-1.3,
)
HYBRID = Calibration(
    about=Weights(
        -10.6,
        coverage=1.7,
        together=4.5,
        phrase=1.6,
        everyday=-2.4,
        named=4.4,
        touched=3.2,
        length=-2.4,
        cosine=17.4,
    ),
    included=Weights(-1.8, telling=1.7, named=1.8, ahead=3.0),
    threshold=0.65,
    choice=2.0,
    repair=-4.0,
    doubt=-2.4,
)


class GateVerdict(Frozen):
    """The decision of the gate, its reasons, and the id of the best hit."""

    probability: float
    threshold: float
    signals: Signals | None
    best: str = ""

    @property
    def passed(self) -> bool:
        return self.signals is not None and self.probability >= self.threshold


def everyday(stems: Collection[str]) -> set[str]:
    """Those of `stems` that are stems of everyday words."""
    starts = tuple([known[:-1] or known for known in stems])  # stemming changes the last letter at most
    return {stemming.stem(word) for word in EVERYDAY if word.startswith(starts)}.intersection(stems)


def judge(signals: Signals | None, threshold: float | None = None, best: str = "") -> GateVerdict:
    """Decide. Without signals the gate stays closed; `threshold` overrides the calibrated one."""
    used = calibration(signals)
    limit = used.threshold if threshold is None else threshold
    return GateVerdict(0.0 if signals is None else probability(signals, used), limit, signals, best)


def calibration(signals: Signals | None) -> Calibration:
    """The models for these signals: with a cosine or without."""
    return HYBRID if signals is not None and signals.cosine is not None else LEXICAL


def traced(verdict: GateVerdict) -> tuple[dict[str, float | None], dict[str, float]] | None:
    """The signals of a verdict and the weights of its models, by name; None if nothing was judged."""
    signals = verdict.signals
    if signals is None:
        return None
    models = calibration(signals)
    params = {
        f"{model}.{name}": getattr(getattr(models, model), name)
        for model in ("about", "included")
        for name in Weights.__match_args__
    }
    params |= {f"{WANTED}{name}": getattr(models, name) for name in SHIFTS}
    return {name: getattr(signals, name) for name in Signals.__match_args__}, params


def probability(signals: Signals, of: Calibration) -> float:
    """The probability that the prompt is about something known, and that it needs a memory of these hits."""
    known = _logistic(signals, of.about) * _logistic(signals, of.included)
    shift = sum(getattr(of, name) * getattr(signals, name) for name in SHIFTS)
    return known / (known + (1 - known) * exp(-shift)) if shift else known


def _logistic(signals: Signals, weights: Weights) -> float:
    evidence = (
        weights.bias
        + weights.coverage * signals.coverage
        + weights.together * signals.together
        + weights.phrase * signals.phrase
        + weights.telling * signals.telling
        + weights.everyday * signals.everyday
        + weights.named * signals.named
        + weights.touched * signals.touched
        + weights.ahead * signals.ahead
        + weights.cosine * (signals.cosine or 0.0)
        + weights.length * signals.length
    )
    return 1 / (1 + exp(-evidence))


def signals(query: Query, ranking: Sequence[Candidate], index: Index, count: int) -> Signals | None:
    """The signals of a ranking whose first `count` hits would be injected; None for an empty query."""
    if not query.terms:
        return None
    stems = [term.stem for term in query.terms]
    common = everyday(stems)
    term_weights = {
        term.stem: term.idf * (EVERYDAY_SHARE if term.stem in common else 1.0) for term in query.terms
    }
    head, body = index.stemmed(ranking[0].key)
    body = body[:_MOST_STEMS]
    mass, matches = best_stretch(head, body, term_weights)
    cosines = _cosines(ranking)
    named, touched = (_raw(ranking[0], channel) is not None for channel in ("files", "touched"))
    # A memory about this very file is wanted for any work on it.
    choice, repair = (0.0, 0.0) if named or touched else _wanted(query.text)
    evidence = Signals(
        coverage=mass / (sum(term_weights.values()) or 1.0),
        together=min(len(matches), ENOUGH) / ENOUGH,
        phrase=min(_in_a_row(query.pairs, head, body), PAIRS) / PAIRS,
        telling=_telling([term_weights[stem] for stem in matches], index.size),
        everyday=len(common) / len(stems),
        named=float(named),
        touched=float(touched),
        ahead=_ahead([hit.score for hit in ranking], cosines, count),
        cosine=cosines[0] if cosines else None,
        length=min(query.word_count, KEPT_WHOLE) / KEPT_WHOLE,
        choice=choice,
        repair=repair,
    )
    return replaced(evidence, doubt=_doubt(evidence))


def _doubt(evidence: Signals) -> float:
    """How little words say for a hit that the model is not sure of either, 0..1; 0 without a model."""
    if evidence.cosine is None or evidence.named or evidence.touched:
        return 0.0
    by_words = _logistic(evidence, LEXICAL.about) * _logistic(evidence, LEXICAL.included)
    wordless = (WORDS_SURE - log(by_words / (1 - by_words))) / WORDS_RANGE
    unsure = (SURE_COSINE - evidence.cosine) / UNSURE_RANGE
    return min(max(wordless, 0.0), 1.0) * min(max(unsure, 0.0), 1.0)


def _wanted(text: str) -> tuple[float, float]:
    """How many words of a choice and of a repair the prompt has, each per root of its length, at most 1."""
    words = _WORD.findall(opening(text, _ASKED).lower())
    different = set(words)
    root = sqrt(1 + len(words))
    choice, repair = (len(different & listed) for listed in (CHOICE, REPAIR))
    return min(choice / root, 1.0), min(repair / root, 1.0)


def _telling(weights: Sequence[float], documents: int) -> float:
    most = rarity(documents, 1)
    rarest = sorted(weights, reverse=True)[:TELLING]
    return sum(min(weight / most, 1.0) for weight in rarest) / TELLING


def _raw(hit: Candidate, channel: str) -> float | None:
    parts = hit.explanation.fused.parts
    return next((part.raw for part in parts if part.channel == channel), None)


def _cosines(ranking: Sequence[Candidate]) -> list[float]:
    """The cosine of each hit; the lowest for hits that the vector channel lacks. Empty without vectors."""
    parts = [part for hit in ranking for part in hit.explanation.fused.parts]
    known = [part.raw for part in parts if part.channel == "vector"]
    if not known:
        return []
    cosines = [_raw(hit, "vector") for hit in ranking]
    lowest = min(known)
    return [lowest if cosine is None else cosine for cosine in cosines]


def _ahead(scores: Sequence[float], cosines: Sequence[float], count: int) -> float:
    """The share of the first `count` hits in a softmax over the ranking: near 1 if the rest is far behind."""
    heights = [SCORE_STEEPNESS * score for score in scores]
    if cosines:
        heights = [
            height + COSINE_STEEPNESS * cosine for height, cosine in zip(heights, cosines, strict=True)
        ]
    top = max(heights)
    chances = [exp(height - top) for height in heights]
    return sum(chances[:count]) / sum(chances)


def best_stretch(
    head: Sequence[str], body: Sequence[str], idf: Mapping[str, float]
) -> tuple[float, set[str]]:
    """The query terms in the head and the best stretch of the body: their weight, and the terms."""
    terms = in_head = {stem for stem in head if stem in idf}
    mass = best = sum(idf[stem] for stem in in_head)
    low = 0
    inside: dict[str, int] = {}
    places = [(place, stem) for place, stem in enumerate(body) if stem in idf and stem not in in_head]
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
            best, terms = mass, in_head.union(inside)
    return best, terms


def _in_a_row(pairs: Sequence[tuple[str, str]], head: Sequence[str], body: Sequence[str]) -> int:
    """How many of these pairs follow each other in the document."""
    adjacent = {*pairwise(head), *pairwise(body)}
    return sum(pair in adjacent for pair in pairs)
