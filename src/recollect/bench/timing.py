"""How long does it take? Times in milliseconds, and a budget beside a baseline of the same run."""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from recollect.bench.metrics import percentile


@dataclass(frozen=True, slots=True)
class SpeedMeasurement:
    """One measurement in milliseconds, its budget, and the ratio of its median to its baseline's."""

    name: str
    p50_ms: float
    p95_ms: float
    budget_ms: float
    baseline: str
    ratio: float

    @property
    def within_budget(self) -> bool:
        return self.p95_ms <= self.budget_ms


def timed(work: Callable[[], object]) -> float:
    """Milliseconds of one call."""
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def compared(
    name: str, times: Sequence[float], budget: float, baseline: str, base: Sequence[float]
) -> SpeedMeasurement:
    """These times against a budget in milliseconds, and against the times of a baseline."""
    median = statistics.median(times)
    return SpeedMeasurement(
        name, median, percentile(times, 0.95), budget, baseline, median / statistics.median(base)
    )
