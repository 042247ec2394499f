"""How well does a ranking answer labelled queries? The measures of one strategy, and its latencies."""

import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from recollect.bench.data_sets import LabelledQuery
from recollect.bench.metrics import Interval, bootstrap, ndcg, percentile, recall, reciprocal_rank

AT = 10  # documents of a ranking that are measured


@dataclass(frozen=True, slots=True)
class RankingScores:
    """What one strategy reached, per measure, with intervals; latencies in milliseconds."""

    measures: Mapping[str, Interval]
    p50_ms: float
    p95_ms: float


def ranking_scores(
    questions: Iterable[LabelledQuery], rank: Callable[[LabelledQuery], Sequence[str]]
) -> RankingScores:
    """Rank for every question, and measure how well and how fast."""
    scores: dict[str, list[float]] = {"ndcg@10": [], "recall@5": [], "recall@10": [], "mrr@10": []}
    times: list[float] = []
    for question in questions:
        start = time.perf_counter()
        ranking = rank(question)
        times.append((time.perf_counter() - start) * 1000)
        scores["ndcg@10"].append(ndcg(ranking, question.grades, AT))
        scores["recall@5"].append(recall(ranking, question.grades, 5))
        scores["recall@10"].append(recall(ranking, question.grades, AT))
        scores["mrr@10"].append(reciprocal_rank(ranking, question.grades, AT))
    measures = {name: bootstrap(values) for name, values in scores.items()}
    return RankingScores(measures, statistics.median(times or [0.0]), percentile(times, 0.95))
