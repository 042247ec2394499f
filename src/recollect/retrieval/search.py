"""The search pipeline: query > channels > fuse > boost > rerank > diversify > cut, or gate.

Pure except for three ports: the index, the vectors and the reranker. The same query over the same index gives
the same hits, byte for byte; a reranker that is late leaves them as they are without it.
"""

from __future__ import annotations

from math import sqrt

from recollect.retrieval import boosts, fusion, query
from recollect.retrieval.files import named_files
from recollect.retrieval.fusion import FUSIONS, Explanation, scored
from recollect.retrieval.gate import HYBRID, PART_BESIDE_MODEL, calibration, judge, signals
from recollect.retrieval.query import intent_of, weights
from recollect.retrieval.search_terms import search_terms
from recollect.values import Frozen, replaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal

    from recollect.ids import UnifiedId
    from recollect.retrieval.boosts import Attention
    from recollect.retrieval.fusion import Fused, Ranking
    from recollect.retrieval.gate import GateVerdict, Signals
    from recollect.retrieval.graph_channel import Graph
    from recollect.retrieval.index import Document, Fact, Filters, Index, Key
    from recollect.retrieval.query import Query
    from recollect.retrieval.reranking import Reordering, Reranker
    from recollect.retrieval.vectors import Vectors

    Strategy = Literal["fts5_bm25", "hybrid", "title_tags"]
else:
    Strategy = str

EPISODES = frozenset({"session_summary"})  # categories whose older memories fade
MOST_READ = 600  # characters of a prompt that a model reads: some 25 ms; a long prompt would take 100
MOST_RANKED = 2_000  # documents that a prompt without a model ranks; a search ranks all
PROMPT_PARTS = 8  # parts of a long prompt that are searched for; a search takes all
PART_RANKED = 500  # documents that a part of a long prompt ranks; of a long search, MOST_RANKED
FEEDBACK = 0.2  # in a search, for recall; the gate is calibrated without it
NO_AUTHORITY: Mapping[UnifiedId, float] = {}
IN_A_ROW = 0.2  # weight of a pair of adjacent words; 0.1 to 0.3 are as good (docs/decisions/0010)
MOST_PAIRS = 16  # pairs that are searched for; a random text would have a thousand
FADING = 0.5  # factor that the oldest episode among the hits loses
# Channel weights for the first three hits. A page of ten is best with equal weights of words and vectors; a
# memory about a file that the prompt names is wanted even if it shares no word with it.
AUTO_WEIGHTS = {"vector": 0.75, "files": 0.8}
NO_WEIGHTS: Mapping[str, float] = {}


class Settings(Frozen):
    """How to search. `attention` comes from a session and `authority` from the graph, if there are any."""

    strategy: Strategy = "fts5_bm25"
    fusion: str = "score"
    vectors: Vectors | None = None
    attention: Attention | None = None
    graph: Graph | None = None
    authority: Mapping[UnifiedId, float] = NO_AUTHORITY
    diverse: bool = False
    threshold: float | None = None  # of the gate; None means the calibrated one
    channels: frozenset[str] | None = None  # None means all
    most_ranked: int | None = None  # beyond it the commonest words are dropped; set for prompts
    most_read: int | None = None  # characters that the model reads; set for prompts
    feedback: float = 0.0  # how far the query vector moves towards the first hits; set for searches
    weights: Mapping[str, float] = NO_WEIGHTS  # of channels, in place of the intent's; set for prompts
    now: str | None = None  # rank what is not in force now after all that is; set for searches
    reranker: Reranker | None = None


class Candidate(Frozen):
    """A ranked document with its score and the explanation of it."""

    key: Key
    fact: Fact
    explanation: Explanation
    score: float
    skill: Document | None = None  # its document if it is a skill, because skills are not in the index


class Hit(Frozen):
    """A result: the document and the explanation of its score."""

    document: Document
    explanation: Explanation

    @property
    def score(self) -> float:
        return self.explanation.score


class Answer(Frozen):
    """Hits, best first, with their query. `verdict` is None if the gate was not used.

    `guessed`: no hit matches a word, file or skill of the query. `not_reranked`: why the reranker failed.
    """

    query: Query
    hits: tuple[Hit, ...]
    total: int
    verdict: GateVerdict | None = None
    guessed: bool = False
    not_reranked: str = ""


def search(
    text: str,
    index: Index,
    filters: Filters,
    settings: Settings,
    *,
    limit: int = fusion.SEARCH_LIMIT,
    offset: int = 0,
) -> Answer:
    """One page of the best hits; tuned for recall.

    With `settings.now`, what is in force comes first and the rest after it, each by score.
    """
    parsed, candidates = ranked(text, index, filters, replaced(settings, feedback=FEEDBACK))
    candidates, failure = _reranked(parsed, candidates, index, settings)
    if settings.diverse:
        from recollect.retrieval.diversity import diverse_first

        candidates = diverse_first(candidates, index, offset + limit)
    if settings.now is not None:
        candidates = _in_force_first(candidates, index, settings.now)
    hits = tuple(_hits(fusion.page(candidates, limit, offset), index))
    guessed = bool(candidates) and not any(map(_is_named, candidates))
    return Answer(parsed, hits, len(candidates), guessed=guessed, not_reranked=failure)


def recall(
    text: str,
    index: Index,
    filters: Filters,
    settings: Settings,
    *,
    files: Sequence[str] = (),
    most: int = fusion.AUTO_MOST,
) -> Answer:
    """The hits that a prompt hook injects, often none; tuned for precision.

    `files` are files that the agent touched lately, in addition to those the text names.
    """
    most_ranked = MOST_RANKED if settings.vectors is None else None  # with a model there is more time
    limited = replaced(settings, weights=AUTO_WEIGHTS, most_ranked=most_ranked, most_read=MOST_READ)
    parsed, candidates = ranked(text, index, filters, limited, files)
    whole = _judged(parsed, candidates, index, settings, most)
    verdicts = [] if parsed.parts and not _is_about_all(whole[0].signals) else [whole]
    for part, _ in parsed.parts[:PROMPT_PARTS]:
        by_words = replaced(limited, strategy="fts5_bm25", vectors=None, most_ranked=PART_RANKED)
        part_candidates = _ranked(part, index, filters, by_words)
        verdicts.append(_judged(part, part_candidates, index, settings, most, is_part=True))
    verdicts = sorted(verdicts or [whole], key=lambda judged: -judged[0].probability)
    verdict, hits = verdicts[0]
    if parsed.parts:  # the first hit of every part that is sure, then the best of the complete text
        hits = [*hits[:1], *(own[0] for more, own in verdicts[1:] if _is_sure(more)), *whole[1]]
    if not verdict.passed:
        return Answer(parsed, (), len(candidates), verdict)
    close = fusion.auto(candidates, fusion.RERANKED)  # good enough as before; it says which of them
    order, failure = _reranked(parsed, close, index, settings)
    if order is not close:
        judged = next(hit for hit in order if hit.key == candidates[0].key)
        hits = _hits(fusion.with_judged(order[:most], judged, most), index)
    return Answer(parsed, tuple(_once(hits)[:most]), len(candidates), verdict, not_reranked=failure)


def _reranked(query: Query, hits: list[Candidate], index: Index, settings: Settings) -> Reordering:
    if settings.reranker is None:
        return hits, ""
    from recollect.retrieval.reranking import rerank

    return rerank(query, hits, index, settings.reranker)


def _is_about_all(evidence: Signals | None) -> bool:
    """Whether the verdict on a complete long prompt says something that those on its parts do not."""
    return bool(evidence and (evidence.cosine is not None or evidence.named or evidence.touched))


def _is_sure(verdict: GateVerdict) -> bool:
    """Whether the gate opens, even if it is told to open always."""
    return verdict.passed and verdict.probability >= calibration(verdict.signals).threshold


def _judged(
    parsed: Query,
    candidates: list[Candidate],
    index: Index,
    settings: Settings,
    most: int,
    *,
    is_part: bool = False,
) -> tuple[GateVerdict, list[Hit]]:
    """The verdict on a ranking, and the hits that it is about."""
    hits = _hits(fusion.auto(candidates, most), index)
    evidence = signals(parsed, candidates, index, len(hits)) if hits else None
    threshold = settings.threshold
    if is_part and evidence is not None:
        beside_model = settings.strategy == "hybrid" and settings.vectors is not None
        evidence = replaced(evidence, part=PART_BESIDE_MODEL if beside_model else 1.0)
        if beside_model and threshold is None:
            threshold = HYBRID.threshold
    return judge(evidence, threshold, hits[0].document.id if hits else ""), hits


def _once(hits: Sequence[Hit]) -> list[Hit]:
    """The hits in their order, each document once."""
    return list({hit.document.id: hit for hit in reversed(hits)}.values())[::-1]


def ranked(
    text: str, index: Index, filters: Filters, settings: Settings, files: Sequence[str] = ()
) -> tuple[Query, list[Candidate]]:
    """All candidates, best first; ties by category priority, then id."""
    parsed = query.parse(text, index.frequencies, index.size)
    return parsed, _ranked(parsed, index, filters, settings, files)


def _ranked(
    parsed: Query, index: Index, filters: Filters, settings: Settings, files: Sequence[str] = ()
) -> list[Candidate]:
    channels = _channels(parsed, index, filters, settings, files)
    counts = {**weights(intent_of(parsed.text)), **settings.weights}
    fuse = FUSIONS[settings.fusion]
    fused = fuse(channels, counts)
    facts = dict(index.facts(list(fused)))
    skills: Mapping[Key, Document] = {}
    if settings.graph is not None and _wanted("graph", settings):
        from recollect.retrieval.graph_channel import add_convergence_bonus, run_graph_channel

        reached = run_graph_channel(parsed.text, fused, facts, settings.graph, index, filters)
        facts.update(reached.facts)
        fused = fuse(channels | {"graph": reached.ranking}, counts)
        fused = add_convergence_bonus(fused, facts, settings.graph)
        skills = reached.skills
    faded = _faded(facts, index)
    explanations = {
        key: _explained(facts[key], parts, faded.get(key, 0.0), settings)
        for key, parts in fused.items()
    }
    candidates = [
        Candidate(key, facts[key], explanation, score, skills.get(key))
        for key, explanation, score in scored(explanations)
    ]
    candidates.sort(key=lambda hit: (-hit.score, hit.fact.priority, hit.fact.id))
    return candidates


def _channels(
    parsed: Query, index: Index, filters: Filters, settings: Settings, files: Sequence[str]
) -> dict[str, Ranking]:
    if settings.strategy == "title_tags":
        from recollect.retrieval.title_tags import by_title_and_tags

        def bodies(keys: Sequence[Key]) -> dict[Key, str]:
            return {key: document.body for key, document in index.documents(keys).items()}

        titles = index.titles(filters)
        return {"lexical": by_title_and_tags(parsed.text, titles, bodies, fusion.DEPTH)}
    channels: dict[str, Ranking] = {
        "lexical": _by_words(parsed, index, filters, settings),
        "files": index.by_files(named_files(parsed.text), filters, fusion.DEPTH),
        "touched": index.by_files(files, filters, fusion.DEPTH),
    }
    if settings.strategy == "hybrid" and settings.vectors is not None and parsed.text.strip():
        most = settings.most_read
        read = parsed.text if most is None else query.opening(parsed.text, most)
        channels["vector"] = settings.vectors.nearest(
            read, index, filters, fusion.DEPTH, feedback=settings.feedback
        )
    return {name: ranking for name, ranking in channels.items() if _wanted(name, settings)}


def _by_words(parsed: Query, index: Index, filters: Filters, settings: Settings) -> Ranking:
    """The lexical ranking; that of a long text sums up the rankings of its parts.

    The scores of a part are squared: a document that answers one part comes before one that has a word of
    each. A document's score is therefore high for the parts it is about.
    """
    if not parsed.parts:
        return _by_terms(parsed, index, filters, settings)
    totals: dict[Key, float] = {}
    is_prompt = settings.most_read is not None
    limited = replaced(settings, most_ranked=PART_RANKED if is_prompt else MOST_RANKED)
    for part, weight in parsed.parts[: PROMPT_PARTS if is_prompt else None]:
        for key, score in _by_terms(part, index, filters, limited):
            totals[key] = totals.get(key, 0.0) + weight * score * score
    facts = index.facts(list(totals))
    order = sorted(totals, key=lambda key: (-totals[key], facts[key].priority, facts[key].id))
    return [(key, sqrt(totals[key])) for key in order[: fusion.DEPTH]]


def _by_terms(parsed: Query, index: Index, filters: Filters, settings: Settings) -> Ranking:
    """The documents with any of the terms; those with adjacent words of the query get a bonus.

    There is no bonus beside a model, because a model reads words in their order.
    """
    terms = search_terms(parsed, index, settings.most_ranked)
    ranking = index.by_words(terms, filters, fusion.DEPTH)
    if settings.vectors is not None:
        return ranking
    lifts = index.by_pairs(_rarest_pairs(parsed, {stem for stem, _ in terms}))
    lifted = [(key, score + IN_A_ROW * lifts.get(key, 0.0)) for key, score in ranking]
    return sorted(lifted, key=lambda hit: -hit[1])  # stable: ties keep priority and id


def _rarest_pairs(parsed: Query, stems: set[str]) -> list[tuple[str, str]]:
    """The rarest pairs of these stems."""
    idf = {term.stem: term.idf for term in parsed.terms}
    pairs = [pair for pair in parsed.pairs if stems.issuperset(pair)]
    return sorted(pairs, key=lambda pair: (-idf[pair[0]] - idf[pair[1]], pair))[:MOST_PAIRS]


def _wanted(channel: str, settings: Settings) -> bool:
    return settings.channels is None or channel in settings.channels


def _is_named(candidate: Candidate) -> bool:
    """Whether a hit matches a word or file of the query or is a skill, not only its meaning or a link."""
    channels = {part.channel for part in candidate.explanation.fused.parts}
    return candidate.skill is not None or not channels.isdisjoint(("lexical", "files", "touched"))


def _hits(candidates: Sequence[Candidate], index: Index) -> list[Hit]:
    documents = index.documents([hit.key for hit in candidates if hit.skill is None])
    return [Hit(hit.skill or documents[hit.key], hit.explanation) for hit in candidates]


def _in_force_first(candidates: list[Candidate], index: Index, now: str) -> list[Candidate]:
    """The candidates, those in force first, as skills always are; each part keeps its order."""
    keys = index.in_force([hit.key for hit in candidates if hit.skill is None], now)
    return sorted(candidates, key=lambda hit: hit.skill is None and hit.key not in keys)


def _faded(facts: Mapping[Key, Fact], index: Index) -> dict[Key, float]:
    """How much each episode fades: the newest among the hits not at all, the oldest by FADING."""
    episodes = [key for key, fact in facts.items() if fact.category in EPISODES]
    recency = fusion.by_recency(index.by_age(episodes)) if len(episodes) > 1 else []
    return {key: FADING * (1 - fresh) for key, fresh in recency}


def _explained(fact: Fact, parts: Fused, faded: float, settings: Settings) -> Explanation:
    boost = boosts.boost(fact.id, settings.attention) if settings.attention else boosts.NONE
    return Explanation(parts, boost, settings.authority.get(fact.id, 0.0), faded)
