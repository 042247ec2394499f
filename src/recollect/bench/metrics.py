"""How good is a ranking? The usual measures with their confidence intervals. Pure."""

import random
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log2


def ndcg(ranking: Sequence[str], grades: Mapping[str, int], at: int) -> float:
    """Normalised discounted cumulative gain: 1 when the best documents come first.

    Gain is 2^grade - 1; a grade below 0 counts as 0, not relevant.
    """
    gained = _discounted([grades.get(document, 0) for document in ranking[:at]])
    most = _discounted(sorted(grades.values(), reverse=True)[:at])
    return gained / most if most else 0.0


def _discounted(grades: Sequence[int]) -> float:
    gains = ((1 << max(grade, 0)) - 1 for grade in grades)
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def recall(ranking: Sequence[str], grades: Mapping[str, int], at: int) -> float:
    """The share of relevant documents among the first `at`."""
    relevant = {document for document, grade in grades.items() if grade > 0}
    return len(relevant.intersection(ranking[:at])) / len(relevant) if relevant else 0.0


def reciprocal_rank(ranking: Sequence[str], grades: Mapping[str, int], at: int) -> float:
    """1 over the rank of the first relevant document; 0 when none is among the first `at`."""
    for rank, document in enumerate(ranking[:at], start=1):
        if grades.get(document, 0) > 0:
            return 1 / rank
    return 0.0


def auroc(positives: Sequence[float], negatives: Sequence[float]) -> float:
    """The chance that a positive has a higher score than a negative; ties count half."""
    if not positives or not negatives:
        return 0.0
    ordered = sorted([(score, 1) for score in positives] + [(score, 0) for score in negatives])
    ranks, start = 0.0, 0
    while start < len(ordered):
        end = start
        while end < len(ordered) and ordered[end][0] == ordered[start][0]:
            end += 1
        middle = (start + 1 + end) / 2
        ranks += middle * sum(is_positive for _, is_positive in ordered[start:end])
        start = end
    count = len(positives)
    return (ranks - count * (count + 1) / 2) / (count * len(negatives))


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` of all values do not exceed."""
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else 0.0


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its 95% bootstrap interval over the queries."""

    mean: float
    low: float
    high: float


def bootstrap(values: Sequence[float], rounds: int = 500, seed: int = 1) -> Interval:
    """The mean of per-query values with its bootstrap interval."""
    if not values:
        return Interval(0.0, 0.0, 0.0)
    chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
    means = [statistics.fmean(chance.choices(values, k=len(values))) for _ in range(rounds)]
    return _interval(statistics.fmean(values), means)


def bootstrap_ratio(pairs: Sequence[tuple[float, float]], rounds: int = 500, seed: int = 1) -> Interval:
    """The mean of the first values over that of the second, resampled by pairs; 1 over nothing."""
    if not pairs:
        return Interval(1.0, 1.0, 1.0)
    chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
    ratios = [_ratio(chance.choices(pairs, k=len(pairs))) for _ in range(rounds)]
    return _interval(_ratio(pairs), ratios)


def _ratio(pairs: Sequence[tuple[float, float]]) -> float:
    below = sum(second for _, second in pairs)
    return sum(first for first, _ in pairs) / below if below else 1.0


def _interval(mean: float, resampled: Sequence[float]) -> Interval:
    ordered, rounds = sorted(resampled), len(resampled)
    return Interval(mean, ordered[int(0.025 * rounds)], ordered[int(0.975 * rounds)])


def rank_correlation(first_ranking: Sequence[str], second_ranking: Sequence[str]) -> float:
    """Spearman's rho over the documents that both rankings have; 1 when fewer than two are shared."""
    shared = [document for document in first_ranking if document in set(second_ranking)]
    if len(shared) < 2:
        return 1.0
    place: Callable[[Sequence[str]], dict[str, int]] = lambda order: {  # noqa: E731
        document: rank for rank, document in enumerate([d for d in order if d in set(shared)])
    }
    first, second = place(first_ranking), place(second_ranking)
    count = len(shared)
    squares = sum((first[document] - second[document]) ** 2 for document in shared)
    return 1 - 6 * squares / (count * (count * count - 1))
