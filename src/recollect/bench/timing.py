"""How long does it take? Times in milliseconds, and a budget beside a baseline of the same run."""

import statistics
import time
from collections.abc import Callable, Sequence

from recollect.bench.metrics import percentile
from recollect.views.benches import SpeedRow


def timed(work: Callable[[], object]) -> float:
    """Milliseconds of one call."""
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def compared(
    name: str, times: Sequence[float], budget: float, baseline: str, base: Sequence[float]
) -> SpeedRow:
    """These times against a budget in milliseconds, and against the times of a baseline."""
    median, p95 = statistics.median(times), percentile(times, 0.95)
    return {
        "name": name,
        "p50_ms": round(median, 3),
        "p95_ms": round(p95, 3),
        "budget_ms": budget,
        "kept": p95 <= budget,
        "baseline": baseline,
        "ratio": round(median / statistics.median(base), 3),
    }
