"""How near 85% do adaptive thresholds come? `python docs/measurements/thresholds.py [WORKLOADS]`.

Each workload has scores between 0.5 and 1, and succeeds by a known curve. Prints the success that the curve
gives to what the threshold accepts in the end: no sample is drawn for it, so what scatters is the threshold
alone. "Hindsight" is the lowest threshold from which on 85% of all 200 executions succeeded, chosen
afterwards: about the best that counting can do with that many.
"""

import random
import sys
from collections.abc import Callable
from statistics import mean, pstdev

from recollect.learning.thresholds import AdaptiveThreshold, Execution, after, bounds, started

Curve = Callable[[float], float]
CURVES: dict[str, Curve] = {
    "as likely as the score says": lambda score: score,
    "less likely than the score says": lambda score: score - 0.08,
    "far less likely than it says": lambda score: score - 0.13,
    "its square": lambda score: score * score,
    "steep": lambda score: 0.97 if score > 0.86 else 0.45,
    "a step": lambda score: 0.92 if score > 0.80 else 0.60,
}
SCORES = [0.5 + step / 2_000 for step in range(1_001)]
LOW, HIGH = bounds("capability")
Outcome = tuple[float, bool]


def outcomes(curve: Curve, seed: int, count: int) -> list[Outcome]:
    """Scores, and whether each succeeds or would have."""
    chance = random.Random(seed)  # noqa: S311 - a simulation
    pairs = ((0.5 + chance.random() / 2, chance.random()) for _ in range(count))
    return [(score, drawn < curve(score)) for score, drawn in pairs]


def learned(rows: list[Outcome]) -> float:
    """Where the threshold is after these executions, all on one day."""
    threshold: AdaptiveThreshold = started("capability")
    for score, succeeds in rows:
        accepted = score >= threshold.value
        execution = Execution(score, accepted, succeeds if accepted else not succeeds)
        threshold = after(threshold, execution, "2026-01-01T10:00:00Z")
    return threshold.value


def hindsight(rows: list[Outcome]) -> float:
    """The lowest threshold from which on enough of the executions succeeded."""
    for step in range(round((HIGH - LOW) / 0.005) + 1):
        value = LOW + step * 0.005
        above = [succeeds for score, succeeds in rows if score >= value]
        if sum(above) >= 0.85 * len(above):
            return value
    return HIGH


def success(curve: Curve, threshold: float) -> float:
    return mean(curve(score) for score in SCORES if score >= threshold)


def line(name: str, curve: Curve, thresholds: list[float]) -> str:
    rates = sorted(success(curve, threshold) for threshold in thresholds)
    wanted = min(max(0.85, success(curve, LOW)), success(curve, HIGH))
    near = mean(abs(rate - wanted) <= 0.05 for rate in rates)
    low, high = rates[len(rates) // 20], rates[-1 - len(rates) // 20]
    return (
        f"{name:34}{mean(rates):.3f}  {pstdev(rates):.3f}  {low:.3f} to {high:.3f}  "
        f"{rates[0]:.3f} to {rates[-1]:.3f}  {near:.2f}"
    )


def main(workloads: int) -> None:
    print(f"{'':34}mean   spread 90% of workloads  all             within 5 points")
    methods = (
        ("200 executions", learned, 200),
        ("1,000 executions", learned, 1_000),
        ("200, hindsight", hindsight, 200),
    )
    for title, method, count in methods:
        print(title)
        for name, curve in CURVES.items():
            ends = [method(outcomes(curve, seed, count)) for seed in range(workloads)]
            print(line(f"  {name}", curve, ends))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
