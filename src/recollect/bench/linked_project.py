"""Do links help search? A small project whose answers are often one link away from the matching memories.

The data is in `linked/`: `memories.jsonl`, one record to a line, and `questions.json`. Everything in it was
written for this set. A question of kind `one_hop`, `two_hops` or `successor` shares no word with its answer;
it matches its `context`, and links lead from there to the answer. `direct` questions match their answers, to
detect a graph that displaces plain hits.
"""

import json
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from recollect.app.finder import Finder
from recollect.app.opening import open_corpus
from recollect.bench.corpora import documents_of, read_memories
from recollect.bench.metrics import ndcg, recall
from recollect.graph.algorithms import Network, steps
from recollect.graph.causal import in_use
from recollect.ids import MemoryId, UnifiedId, unified
from recollect.records.record import Memory
from recollect.retrieval.index import Document
from recollect.retrieval.request import Request
from recollect.retrieval.search import Strategy
from recollect.views.benches import QualityRow

FOLDER = Path(__file__).parent / "linked"
KINDS = ("one_hop", "two_hops", "successor", "direct")
DEPTH = 10
_ANSWER, _CONTEXT = 2, 1  # grades

Ranker = Callable[[str], Sequence[UnifiedId]]


@dataclass(frozen=True, slots=True)
class LinkedQuestion:
    """A question, its answers, and the matching memories that link to the answers."""

    id: str
    kind: str
    text: str
    answer: frozenset[UnifiedId]
    context: frozenset[UnifiedId]

    @property
    def grades(self) -> dict[str, int]:
        context: dict[str, int] = dict.fromkeys(map(str, self.context), _CONTEXT)
        return context | dict.fromkeys(map(str, self.answer), _ANSWER)


def measure(ranker: Ranker) -> dict[str, QualityRow]:
    """Rank every question with `ranker`; the quality for each kind, and for all."""
    rankings = [(question, [str(id) for id in ranker(question.text)]) for question in questions()]
    kinds = {kind: [pair for pair in rankings if pair[0].kind == kind] for kind in KINDS}
    return {kind: _quality(some) for kind, some in (kinds | {"all": rankings}).items()}


def searching(
    strategy: Strategy, *, graph: bool, diverse: bool = False, authority: bool = False
) -> Ranker:
    """A ranker that searches, optionally with the graph channel, diversity or authority."""
    finder = _finder(graph=graph)
    finder.diverse, finder.by_authority = diverse, authority

    def rank(text: str) -> Sequence[UnifiedId]:
        result = finder.find(Request(text, strategy=strategy, limit=DEPTH))
        return [hit.document.id for hit in result.answer.hits]

    return rank


def with_rank(strategy: Strategy, weight: float = 0.3) -> Ranker:
    """A ranker that adds PageRank from the hits over all links to a search without the graph channel."""
    finder = _finder(graph=False)
    network = Network.of(steps(finder.graphs.ask(in_use)))

    def rank(text: str) -> Sequence[UnifiedId]:
        hits = finder.find(Request(text, strategy=strategy, limit=5 * DEPTH)).answer.hits
        scores = {hit.document.id: hit.score for hit in hits}
        seeds = dict([*scores.items()][:DEPTH])
        ranks = network.pagerank_from(seeds)
        new_ranks = {id: share for id, share in ranks.items() if id not in seeds}
        top = max(new_ranks.values(), default=0.0) or 1.0
        for id, share in new_ranks.items():
            scores[id] = scores.get(id, 0.0) + weight * share / top
        return sorted(scores, key=lambda id: (-scores[id], id))[:DEPTH]

    return rank


def _finder(*, graph: bool) -> Finder:
    """A finder over the set; it ignores the user's graph settings."""
    return open_corpus(documents(), graph=graph)


def documents() -> list[Document]:
    """The documents of the memories."""
    return documents_of(memories())


def memories() -> list[Memory]:
    """The memories of the set."""
    return read_memories(FOLDER / "memories.jsonl")


def questions() -> list[LinkedQuestion]:
    """The questions of the set."""
    rows = json.loads((FOLDER / "questions.json").read_text("utf-8"))
    return [
        LinkedQuestion(row["id"], row["kind"], row["text"], _ids(row["answer"]), _ids(row["context"]))
        for row in rows
    ]


def _ids(names: Iterable[str]) -> frozenset[UnifiedId]:
    return frozenset(unified(MemoryId(name)) for name in names)


def _quality(rankings: Sequence[tuple[LinkedQuestion, list[str]]]) -> QualityRow:
    """NDCG with the context, recall of the answer alone."""
    gains = [ndcg(ranking, question.grades, DEPTH) for question, ranking in rankings]
    shares = [
        recall(ranking, dict.fromkeys(question.answer, 1), DEPTH) for question, ranking in rankings
    ]
    return {
        "questions": len(rankings),
        "ndcg": round(statistics.fmean(gains), 4),
        "recall": round(statistics.fmean(shares), 4),
    }
