"""How far do boosts change rankings? Plain rankings against rankings with every boost at its maximum."""

import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from recollect.bench.corpora import corpora, labelled
from recollect.bench.data_sets import DataSet
from recollect.bench.metrics import (
    Interval,
    bootstrap,
    bootstrap_ratio,
    rank_correlation,
    reciprocal_rank,
)
from recollect.ids import UnifiedId
from recollect.retrieval.boosts import Attention
from recollect.retrieval.request import Request
from recollect.values import replaced

ITEMS = 7  # documents in the attention of a session, at most
_POOL = 50  # first hits that they are drawn from, because attention is close to the subject
_COMPARED = 20
LEAST_CORRELATION, LEAST_RATIO = 0.90, 0.95  # the documented bounds


@dataclass(frozen=True, slots=True)
class Shadow:
    """How far the boosted rankings are from the plain ones. The ratio is 1 without hits."""

    queries: int
    correlation: Interval
    mrr_plain: float
    mrr_boosted: float
    mrr_ratio: Interval

    @property
    def within_bounds(self) -> bool:
        """Whether the boosts stay within their documented bounds."""
        return self.correlation.mean >= LEAST_CORRELATION and self.mrr_ratio.mean >= LEAST_RATIO


def measure(data: DataSet, request: Request, seed: int = 1) -> Shadow:
    """Boost seven of each query's first fifty hits to the maximum, and compare."""
    questions, corpora_by_group = labelled(data), corpora(data)
    chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
    correlations, plain_ranks, boosted_ranks = [], [], []
    wide = replaced(request, limit=_POOL)
    for question in questions:
        corpus = corpora_by_group[question.group]
        plain = [hit.document.id for hit in corpus.find(question, wide).answer.hits]
        attended = _full_attention(chance.sample(plain, min(ITEMS, len(plain))))
        boosted_hits = corpus.find(question, replaced(wide, attention=attended)).answer.hits
        boosted = [hit.document.id for hit in boosted_hits]
        correlations.append(rank_correlation(plain[:_COMPARED], boosted))
        plain_ranks.append(reciprocal_rank(plain, question.grades, 10))
        boosted_ranks.append(reciprocal_rank(boosted, question.grades, 10))
    return Shadow(
        len(questions),
        bootstrap(correlations),
        statistics.fmean(plain_ranks),
        statistics.fmean(boosted_ranks),
        bootstrap_ratio(list(zip(boosted_ranks, plain_ranks, strict=True))),
    )


def _full_attention(ids: Sequence[UnifiedId]) -> Attention:
    """A session that pays full attention to some documents, each also one link from another."""
    return Attention(dict.fromkeys(ids, 1.0), dict.fromkeys(ids, 1))
