"""The pipeline, on one page: query > channels > fuse > boost > diversify > cut, or gate.

Everything here is pure but for the two ports it asks, the index and the vectors. The same query over the
same index gives the same hits, to the byte.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from recollect.ids import UnifiedId
from recollect.retrieval import boosts, cutoff, fusion, query
from recollect.retrieval.boosts import Attention
from recollect.retrieval.diversity import diversified
from recollect.retrieval.explain import Explanation
from recollect.retrieval.files import named_files
from recollect.retrieval.fusion import FUSIONS, Fused, Ranking
from recollect.retrieval.gate import Verdict, judge, signals
from recollect.retrieval.index import Document, Fact, Filters, Index, Key
from recollect.retrieval.intent import intent_of, weights
from recollect.retrieval.legacy import by_title_and_tags
from recollect.retrieval.query import Query
from recollect.retrieval.tokens import UNSPACED_RUN
from recollect.retrieval.vectors import Vectors

CANDIDATES = 200  # of each channel; fusion counts the first 100
LONGER_WORDS = 5  # words that begin like one the index does not know, tried in its place
EPISODES = frozenset({"session_summary"})  # what fades as newer ones come
FEEDBACK = 0.2  # in a search, which is for recall; the gate is calibrated without it
FADING = 0.5  # of the score, for the oldest of the episodes found


Strategy = Literal["fts5_bm25", "hybrid", "title_tags"]


@dataclass(frozen=True, slots=True)
class Settings:
    """How to search. `attention` and `authority` are what a session and the graph know, if anything."""

    strategy: Strategy = "fts5_bm25"
    fusion: str = "score"
    vectors: Vectors | None = None
    attention: Attention | None = None
    authority: Mapping[UnifiedId, float] = field(default_factory=dict)
    diverse: bool = False
    threshold: float | None = None  # of the gate; the calibrated one when not given
    channels: frozenset[str] | None = None  # only these; all when None
    feedback: float = 0.0  # how far a query leans towards what it finds first; a search sets it


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something found, with all that its place in the ranking rests on."""

    key: Key
    fact: Fact
    explanation: Explanation

    @property
    def score(self) -> float:
        return self.explanation.score


@dataclass(frozen=True, slots=True)
class Hit:
    """A result: the document, and how its score came about."""

    document: Document
    explanation: Explanation

    @property
    def score(self) -> float:
        return self.explanation.score


@dataclass(frozen=True, slots=True)
class Answer:
    """Hits, best first, with the query they answer. `verdict` is there when the gate was asked."""

    query: Query
    hits: tuple[Hit, ...]
    total: int
    verdict: Verdict | None = None


def search(
    text: str,
    index: Index,
    filters: Filters,
    settings: Settings,
    *,
    limit: int = cutoff.SEARCH_LIMIT,
    offset: int = 0,
) -> Answer:
    """The best hits, a page of them: made for recall."""
    parsed, found = ranked(text, index, filters, replace(settings, feedback=FEEDBACK))
    if settings.diverse:
        found = _diverse(found, index, offset + limit)
    return Answer(parsed, tuple(_hits(cutoff.page(found, limit, offset), index)), len(found))


def recall(
    text: str,
    index: Index,
    filters: Filters,
    settings: Settings,
    *,
    files: Sequence[str] = (),
    most: int = cutoff.AUTO_MOST,
) -> Answer:
    """What a prompt hook would inject, which may be nothing: made for precision.

    `files` are those the agent has touched lately, beside the ones the text names.
    """
    parsed, found = ranked(text, index, filters, settings, files)
    kept = _hits(cutoff.auto(found, most), index)
    seen = signals(parsed, kept[0].document, found, index) if kept else None
    verdict = judge(seen, settings.threshold)
    return Answer(parsed, tuple(kept) if verdict.passed else (), len(found), verdict)


def ranked(
    text: str, index: Index, filters: Filters, settings: Settings, files: Sequence[str] = ()
) -> tuple[Query, list[Candidate]]:
    """Everything found, best first; equal ones by category priority and then id."""
    parsed = query.parse(text, index.stems, index.frequencies, index.size)
    channels = _channels(parsed, index, filters, settings, files)
    fused = FUSIONS[settings.fusion](channels, weights(intent_of(text)))
    facts = index.facts(list(fused))
    faded = _faded(facts, index)
    found = [
        Candidate(key, facts[key], _explained(facts[key], parts, faded.get(key, 0.0), settings))
        for key, parts in fused.items()
    ]
    found.sort(key=lambda one: (-one.score, one.fact.priority, one.fact.id))
    return parsed, found


def _channels(
    parsed: Query, index: Index, filters: Filters, settings: Settings, files: Sequence[str]
) -> dict[str, Ranking]:
    if settings.strategy == "title_tags":
        return {"lexical": by_title_and_tags(parsed.text, index.titles(filters), CANDIDATES)}
    channels: dict[str, Ranking] = {
        "lexical": index.by_words(looked_for(parsed, index), filters, CANDIDATES),
        "files": index.by_files([*named_files(parsed.text), *files], filters, CANDIDATES),
    }
    if settings.strategy == "hybrid" and settings.vectors is not None and parsed.text.strip():
        channels["vector"] = settings.vectors.nearest(
            parsed.text, index, filters, fusion.DEPTH, feedback=settings.feedback
        )
    wanted = settings.channels
    return {name: ranking for name, ranking in channels.items() if wanted is None or name in wanted}


def _hits(found: Sequence[Candidate], index: Index) -> list[Hit]:
    documents = index.documents([one.key for one in found])
    return [Hit(documents[one.key], one.explanation) for one in found]


def _diverse(found: list[Candidate], index: Index, count: int) -> list[Candidate]:
    """The best few put in an order that repeats itself less; the rest behind them."""
    best = found[:CANDIDATES]
    bodies = index.documents([one.key for one in best])
    chosen = diversified(best, lambda one: one.score, lambda one: bodies[one.key].body, count)
    return chosen + [one for one in found if one not in chosen]


def looked_for(parsed: Query, index: Index) -> list[tuple[str, int]]:
    """The terms to look for; one that the index does not know stands for longer words it does.

    So does a single ideograph, known or not: the index has it in pairs.
    """
    terms: list[tuple[str, int]] = []
    for term in parsed.terms:
        lone = len(term.stem) == 1 and bool(UNSPACED_RUN.match(term.stem))
        if term.known:
            terms.append((term.stem, term.times))
        if lone or (not term.known and len(term.stem) >= 3):
            terms += [(longer, term.times) for longer in index.longer(term.stem, LONGER_WORDS)]
    return terms


def _faded(facts: Mapping[Key, Fact], index: Index) -> dict[Key, float]:
    """How much each episode has faded: the newest of those found not at all, the oldest by FADING."""
    episodes = [key for key, fact in facts.items() if fact.category in EPISODES]
    recency = fusion.by_recency(index.by_age(episodes)) if len(episodes) > 1 else []
    return {key: FADING * (1 - fresh) for key, fresh in recency}


def _explained(fact: Fact, parts: Fused, faded: float, settings: Settings) -> Explanation:
    boost = boosts.boost(fact.id, settings.attention) if settings.attention else boosts.NONE
    return Explanation(parts, boost, settings.authority.get(fact.id, 0.0), faded)
