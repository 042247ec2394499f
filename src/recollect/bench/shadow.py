"""Do boosts keep their promise? Plain rankings against the same ones with every boost at its most."""

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

ITEMS = 7  # what a session pays attention to at most
_POOL = 50  # hits from which they are taken: attention goes to what is near the subject
_COMPARED = 20
LEAST_CORRELATION, LEAST_RATIO = 0.90, 0.95  # what is promised


@dataclass(frozen=True, slots=True)
class Shadow:
    """How far the boosted rankings are from the plain ones. The ratio is 1 where nothing was found."""

    queries: int
    correlation: Interval
    mrr_plain: float
    mrr_boosted: float
    mrr_ratio: Interval

    @property
    def within_bounds(self) -> bool:
        """Whether boosts keep what is promised of them."""
        return self.correlation.mean >= LEAST_CORRELATION and self.mrr_ratio.mean >= LEAST_RATIO


def measure(data: DataSet, request: Request, seed: int = 1) -> Shadow:
    """Boost seven of each query's first fifty hits as far as boosts go, and compare."""
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
