"""The pipeline, on one page: query > channels > fuse > boost > diversify > cut, or gate.

Everything here is pure but for the two ports it asks, the index and the vectors. The same query over the
same index gives the same hits, to the byte.
"""

from __future__ import annotations

from recollect.retrieval import boosts, cutoff, fusion, query
from recollect.retrieval.explain import Explanation
from recollect.retrieval.files import named_files
from recollect.retrieval.fusion import FUSIONS
from recollect.retrieval.gate import judge, signals
from recollect.retrieval.intent import intent_of, weights
from recollect.retrieval.query import Term
from recollect.text.tokens import is_unspaced
from recollect.values import Frozen, replaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal

    from recollect.ids import UnifiedId
    from recollect.retrieval.boosts import Attention
    from recollect.retrieval.fusion import Fused, Ranking
    from recollect.retrieval.gate import GateVerdict
    from recollect.retrieval.graph_channel import Graph
    from recollect.retrieval.index import Document, Fact, Filters, Index, Key
    from recollect.retrieval.query import Query
    from recollect.retrieval.vectors import Vectors

    Strategy = Literal["fts5_bm25", "hybrid", "title_tags"]
else:
    Strategy = str

CANDIDATES = 200  # whose texts are compared when hits should differ
SHORTEST_START = 3  # characters of a word that stands for longer ones; one more past ASCII
MOST_GUESSED = 16  # terms of a query whose words stand for others like them; a longer one says enough
LONGER_WORDS = 5  # words that begin like one the index does not know, tried in its place
EPISODES = frozenset({"session_summary"})  # what fades as newer ones come
MOST_READ = 600  # characters of a prompt that a model reads: some 25 ms; all of a long one takes 100
MOST_RANKED = 2_000  # documents that a prompt without a model waits for; a search ranks all
FEEDBACK = 0.2  # in a search, which is for recall; the gate is calibrated without it
NO_AUTHORITY: Mapping[UnifiedId, float] = {}
IN_A_ROW = 0.2  # of what a word counts for, two in a row; 0.1 to 0.3 are as good (docs/decisions/0010)
MOST_PAIRS = 16  # that are looked for; a nonsense text would have a thousand
FADING = 0.5  # of the score, for the oldest of the episodes found
AUTO_VECTOR = 0.75  # weight of meaning for the first three; a page of ten is best with equal halves


class Settings(Frozen):
    """How to search. `attention` and `authority` are what a session and the graph know, if anything."""

    strategy: Strategy = "fts5_bm25"
    fusion: str = "score"
    vectors: Vectors | None = None
    attention: Attention | None = None
    graph: Graph | None = None
    authority: Mapping[UnifiedId, float] = NO_AUTHORITY
    diverse: bool = False
    threshold: float | None = None  # of the gate; the calibrated one when not given
    channels: frozenset[str] | None = None  # only these; all when None
    most_ranked: int | None = None  # rather leave out the commonest words; a prompt sets it
    most_read: int | None = None  # characters that the model reads; a prompt sets it
    feedback: float = 0.0  # how far a query leans towards what it finds first; a search sets it
    vector: float | None = None  # weight of the vector channel; the intent's when None


class Candidate(Frozen):
    """Something found, with all that its place in the ranking rests on."""

    key: Key
    fact: Fact
    explanation: Explanation
    skill: Document | None = None  # what is to be told of it, when it is none of the index's

    @property
    def score(self) -> float:
        return self.explanation.score


class Hit(Frozen):
    """A result: the document, and how its score came about."""

    document: Document
    explanation: Explanation

    @property
    def score(self) -> float:
        return self.explanation.score


class Answer(Frozen):
    """Hits, best first, with the query they answer. `verdict` is there when the gate was asked.

    `guessed` when meaning alone led to them: no word, file or skill of the query is known.
    """

    query: Query
    hits: tuple[Hit, ...]
    total: int
    verdict: GateVerdict | None = None
    guessed: bool = False


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
    parsed, found = ranked(text, index, filters, replaced(settings, feedback=FEEDBACK))
    if settings.diverse:
        found = _diverse(found, index, offset + limit)
    hits = tuple(_hits(cutoff.page(found, limit, offset), index))
    return Answer(parsed, hits, len(found), guessed=bool(found) and not any(map(_is_named, found)))


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
    most_ranked = MOST_RANKED if settings.vectors is None else None  # whoever has a model has time too
    careful = replaced(settings, vector=AUTO_VECTOR, most_ranked=most_ranked, most_read=MOST_READ)
    parsed, found = ranked(text, index, filters, careful, files)
    kept = _hits(cutoff.auto(found, most), index)
    seen = signals(parsed, found, index, len(kept)) if kept else None
    verdict = judge(seen, settings.threshold)
    return Answer(parsed, tuple(kept) if verdict.passed else (), len(found), verdict)


def ranked(
    text: str, index: Index, filters: Filters, settings: Settings, files: Sequence[str] = ()
) -> tuple[Query, list[Candidate]]:
    """Everything found, best first; equal ones by category priority and then id."""
    parsed = query.parse(text, index.frequencies, index.size)
    channels = _channels(parsed, index, filters, settings, files)
    counts = weights(intent_of(text))
    if settings.vector is not None:
        counts["vector"] = settings.vector
    fuse = FUSIONS[settings.fusion]
    fused = fuse(channels, counts)
    facts = dict(index.facts(list(fused)))
    skills: Mapping[Key, Document] = {}
    if settings.graph is not None and _wanted("graph", settings):
        from recollect.retrieval.graph_channel import converged, linked

        near = linked(parsed.text, fused, facts, settings.graph, index, filters)
        facts.update(near.facts)
        fused = converged(fuse(channels | {"graph": near.ranking}, counts), facts, settings.graph)
        skills = near.skills
    faded = _faded(facts, index)
    found = [
        Candidate(
            key,
            facts[key],
            _explained(facts[key], parts, faded.get(key, 0.0), settings),
            skills.get(key),
        )
        for key, parts in fused.items()
    ]
    found.sort(key=lambda one: (-one.score, one.fact.priority, one.fact.id))
    return parsed, found


def _channels(
    parsed: Query, index: Index, filters: Filters, settings: Settings, files: Sequence[str]
) -> dict[str, Ranking]:
    if settings.strategy == "title_tags":
        from recollect.retrieval.title_tags import by_title_and_tags

        return {"lexical": by_title_and_tags(parsed.text, index.titles(filters), fusion.DEPTH)}
    channels: dict[str, Ranking] = {
        "lexical": _by_words(parsed, index, filters, settings),
        "files": index.by_files([*named_files(parsed.text), *files], filters, fusion.DEPTH),
    }
    if settings.strategy == "hybrid" and settings.vectors is not None and parsed.text.strip():
        read = parsed.text
        if settings.most_read is not None:
            read = query.opening(read, settings.most_read)
        channels["vector"] = settings.vectors.nearest(
            read, index, filters, fusion.DEPTH, feedback=settings.feedback
        )
    return {name: ranking for name, ranking in channels.items() if _wanted(name, settings)}


def _by_words(parsed: Query, index: Index, filters: Filters, settings: Settings) -> Ranking:
    """The best by words; of these, what has two of them in a row as the query has is lifted.

    Not beside a model, which reads words in their order.
    """
    terms = looked_for(parsed, index, settings.most_ranked)
    ranking = index.by_words(terms, filters, fusion.DEPTH)
    if settings.vectors is not None:
        return ranking
    lifts = index.by_pairs(_rarest_pairs(parsed, {stem for stem, _ in terms}))
    lifted = [(key, score + IN_A_ROW * lifts.get(key, 0.0)) for key, score in ranking]
    return sorted(lifted, key=lambda one: -one[1])  # stable: ties keep priority and id


def _rarest_pairs(parsed: Query, stems: set[str]) -> list[tuple[str, str]]:
    """The pairs of these stems that tell most."""
    idf = {term.stem: term.idf for term in parsed.terms}
    pairs = [pair for pair in parsed.pairs if stems.issuperset(pair)]
    return sorted(pairs, key=lambda pair: (-idf[pair[0]] - idf[pair[1]], pair))[:MOST_PAIRS]


def _wanted(channel: str, settings: Settings) -> bool:
    return settings.channels is None or channel in settings.channels


def _is_named(one: Candidate) -> bool:
    """Whether something was found by what the query says, and not by meaning or a link alone."""
    named = ("lexical", "files")
    return one.skill is not None or any(part.channel in named for part in one.explanation.fused.parts)


def _hits(found: Sequence[Candidate], index: Index) -> list[Hit]:
    documents = index.documents([one.key for one in found if one.skill is None])
    return [Hit(one.skill or documents[one.key], one.explanation) for one in found]


def _diverse(found: list[Candidate], index: Index, count: int) -> list[Candidate]:
    """The best few put in an order that repeats itself less; the rest behind them."""
    from recollect.retrieval.diversity import diversified

    best = found[:CANDIDATES]
    documents = dict(zip(best, [hit.document for hit in _hits(best, index)], strict=True))
    chosen = diversified(best, lambda one: one.score, lambda one: documents[one].body, count)
    return chosen + [one for one in found if one not in chosen]


def looked_for(parsed: Query, index: Index, most_ranked: int | None = None) -> list[tuple[str, int]]:
    """The terms to look for; one that the index does not know stands for words it does that begin so.

    So does a single ideograph, known or not: the index has it in pairs. When the terms are in more than
    `most_ranked` documents together, the commonest are left out, which tell least; one always stays.
    """
    known = [term for term in parsed.terms if term.known]
    instead = {word: term.times for term in parsed.terms for word in _instead(term, parsed, index)}
    counts = index.frequencies(list(instead)) if instead else {}
    stems = {term.stem for term in known}
    more = [
        Term(word, times, 0.0, counts[word]) for word, times in instead.items() if word not in stems
    ]
    return [(term.stem, term.times) for term in _affordable([*known, *more], most_ranked)]


def _instead(term: Term, parsed: Query, index: Index) -> Sequence[str]:
    """The words that a term stands for, beside itself."""
    stem, few = term.stem, len(parsed.terms) <= MOST_GUESSED
    if len(stem) == 1 and is_unspaced(stem):
        return index.longer(stem, LONGER_WORDS) if few else ()  # it looks through every word there is
    if term.known or len(stem) < SHORTEST_START + (not stem.isascii()):
        return ()
    return index.longer(stem, LONGER_WORDS) or (
        _alike(stem, index) if few and not stem.isascii() else ()
    )


def _alike(stem: str, index: Index) -> Sequence[str]:
    """Words that this one may be a form of, which past ASCII its stem does not tell for sure."""
    from recollect.text.endings import beginnings

    tried = (index.longer(start, LONGER_WORDS) for start in beginnings(stem))
    return next(filter(None, tried), ())


def _affordable(terms: Sequence[Term], most: int | None) -> Sequence[Term]:
    if most is None or sum(term.documents for term in terms) <= most:
        return terms
    left = most
    kept: set[str] = set()
    for term in sorted(terms, key=lambda term: (term.documents, term.stem)):
        left -= term.documents
        if left < 0 and kept:
            break
        kept.add(term.stem)
    return [term for term in terms if term.stem in kept]


def _faded(facts: Mapping[Key, Fact], index: Index) -> dict[Key, float]:
    """How much each episode has faded: the newest of those found not at all, the oldest by FADING."""
    episodes = [key for key, fact in facts.items() if fact.category in EPISODES]
    recency = fusion.by_recency(index.by_age(episodes)) if len(episodes) > 1 else []
    return {key: FADING * (1 - fresh) for key, fresh in recency}


def _explained(fact: Fact, parts: Fused, faded: float, settings: Settings) -> Explanation:
    boost = boosts.boost(fact.id, settings.attention) if settings.attention else boosts.NONE
    return Explanation(parts, boost, settings.authority.get(fact.id, 0.0), faded)
