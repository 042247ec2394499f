"""How well does search find? nDCG, recall and MRR of each strategy on a labelled set."""

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from recollect.bench.corpora import LabelledCorpus, corpora, labelled, need_model
from recollect.bench.data_sets import DataSet, LabelledQuery
from recollect.bench.metrics import Interval, bootstrap, ndcg, percentile, recall, reciprocal_rank
from recollect.retrieval.request import Request
from recollect.values import replaced

Progress = Callable[[int, int], None]

# The strategies, then single channels and the other fusion, to see what each part earns.
STRATEGIES: dict[str, tuple[Request, str]] = {
    "lexical": (Request("", strategy="fts5_bm25"), "score"),
    "hybrid": (Request("", strategy="hybrid"), "score"),
    "hybrid-rank": (Request("", strategy="hybrid"), "rank"),
    "vector": (Request("", strategy="hybrid", channels=frozenset({"vector"})), "score"),
    "title_tags": (Request("", strategy="title_tags"), "score"),
}
USUAL = ("lexical", "hybrid", "hybrid-rank")
NEED_MODEL = frozenset(
    name for name, (request, _) in STRATEGIES.items() if request.strategy == "hybrid"
)


@dataclass(frozen=True, slots=True)
class RetrievalScores:
    """What one strategy reached, per measure, with intervals; latencies in milliseconds."""

    measures: Mapping[str, Interval]
    p50_ms: float
    p95_ms: float


def measure(
    data: DataSet, strategies: list[str], progress: Progress | None = None
) -> dict[str, RetrievalScores]:
    """Run every labelled query of a set with each strategy.

    Raises NotFoundError when one of them needs a model and none is installed.
    """
    for name in NEED_MODEL.intersection(strategies):
        need_model(name)
    questions, corpora_by_group = labelled(data), corpora(data)
    results = {}
    for done, name in enumerate(strategies, start=1):
        results[name] = _result(questions, corpora_by_group, *STRATEGIES[name])
        if progress:
            progress(done, len(strategies))
    return results


def _result(
    questions: Sequence[LabelledQuery],
    corpora_by_group: Mapping[str, LabelledCorpus],
    request: Request,
    fusion: str,
) -> RetrievalScores:
    request = replaced(request, limit=10)
    scores: dict[str, list[float]] = {"ndcg@10": [], "recall@5": [], "recall@10": [], "mrr@10": []}
    times: list[float] = []
    for corpus in corpora_by_group.values():
        corpus.search.fusion = fusion
        corpus.search.update()  # made before the clock starts
        if request.strategy == "hybrid":
            corpus.embed()
    for question in questions:
        start = time.perf_counter()
        answer = corpora_by_group[question.group].find(question, request).answer
        times.append((time.perf_counter() - start) * 1000)
        ranking = [str(hit.document.id) for hit in answer.hits]
        scores["ndcg@10"].append(ndcg(ranking, question.grades, 10))
        scores["recall@5"].append(recall(ranking, question.grades, 5))
        scores["recall@10"].append(recall(ranking, question.grades, 10))
        scores["mrr@10"].append(reciprocal_rank(ranking, question.grades, 10))
    measures = {name: bootstrap(values) for name, values in scores.items()}
    return RetrievalScores(measures, statistics.median(times or [0.0]), percentile(times, 0.95))
