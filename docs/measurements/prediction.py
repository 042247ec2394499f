"""How well is the next tool predicted? `python docs/measurements/prediction.py FOLDER`.

FOLDER has `sequences.jsonl.gz` ({id, calls[]}). Five folds: the predictor learns from four and predicts every
call of the fifth. Prints hit@1 and hit@3 beside a plain bigram that falls back to frequent tools, the
constants that `recollect.workflow.weights` holds, fitted to all held-out predictions, and reliability tables
in which each fold is calibrated by the others. After the last call of a sequence every prediction is wrong.
"""

import gzip
import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp, log
from pathlib import Path

from recollect.gateway.tool_graph import ToolEdge
from recollect.workflow.prediction import BackOffBigram

FOLDS = 5
BOUNDS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.85, 0.92, 1.01)
ROUNDS = 50  # of Newton's method; it converges in a few


@dataclass(frozen=True, slots=True)
class Guess:
    """The best prediction at one place of a held-out sequence."""

    fold: int
    plain: float  # the share of the calls after the last tool
    raw: float
    is_right: bool


def sequences(folder: Path) -> list[list[str]]:
    with gzip.open(folder / "sequences.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line)["calls"] for line in lines]


class PlainBigram:
    """The baseline: the tools that followed most often, then the most frequent ones."""

    def __init__(self, calls: Sequence[Sequence[str]]) -> None:
        self.pairs = Counter(pair for each in calls for pair in pairwise(each))
        self.frequencies = Counter(tool for each in calls for tool in each)

    def best(self, last: str, most: int) -> list[str]:
        def key(tool: str) -> tuple[int, int, str]:
            return (-self.pairs[last, tool], -self.frequencies[tool], tool)

        return sorted(self.frequencies, key=key)[:most]

    def share(self, last: str, tool: str) -> float:
        total = sum(count for (source, _), count in self.pairs.items() if source == last)
        return self.pairs[last, tool] / total if total else 0.0


def guesses(calls: list[list[str]]) -> tuple[list[Guess], Counter[str]]:
    """Every held-out prediction, and the hits where another call followed."""
    rows: list[Guess] = []
    hits: Counter[str] = Counter()
    for fold in range(FOLDS):
        learned = [each for number, each in enumerate(calls) if number % FOLDS != fold]
        plain = PlainBigram(learned)
        predictor = BackOffBigram([ToolEdge(*pair, count) for pair, count in plain.pairs.items()])
        for each in calls[fold::FOLDS]:
            for place, last in enumerate(each):
                best = predictor.predict(each[: place + 1])
                following = each[place + 1] if place + 1 < len(each) else None
                rows.append(
                    Guess(fold, plain.share(last, best[0].tool), best[0].raw, best[0].tool == following)
                )
                if following is not None:
                    top, simple = [guess.tool for guess in best[:3]], plain.best(last, 3)
                    hits += Counter(
                        places=1,
                        first=following == top[0],
                        third=following in top,
                        plain_first=following == simple[0],
                        plain_third=following in simple,
                    )
    return rows, hits


def fitted(rows: Sequence[Guess]) -> tuple[float, float]:
    """Slope and shift of Platt's scaling by Newton's method, with his smoothed targets."""
    right = sum(row.is_right for row in rows)
    high, low = (right + 1) / (right + 2), 1 / (len(rows) - right + 2)
    points = [(_log_odds(row.raw), high if row.is_right else low) for row in rows]
    slope, shift = 1.0, 0.0
    for _ in range(ROUNDS):
        g1 = g2 = h11 = h12 = h22 = 0.0
        for odds, target in points:
            p = _sigmoid(slope * odds + shift)
            g1, g2 = g1 + (p - target) * odds, g2 + p - target
            w = p * (1 - p)
            h11, h12, h22 = h11 + w * odds * odds, h12 + w * odds, h22 + w
        determinant = h11 * h22 - h12 * h12
        slope -= (h22 * g1 - h12 * g2) / determinant
        shift -= (h11 * g2 - h12 * g1) / determinant
    return slope, shift


def _log_odds(p: float) -> float:
    p = min(max(p, 1e-6), 1 - 1e-6)
    return log(p / (1 - p))


def _sigmoid(odds: float) -> float:
    return 1 / (1 + exp(-odds))


def reliability(title: str, rows: Sequence[Guess], probability: Callable[[Guess], float]) -> None:
    """Predictions by their probability: how many, their mean probability, and the share that was right."""
    error = sum((probability(row) - row.is_right) ** 2 for row in rows) / len(rows)
    print(f"\n{title} (Brier score {error:.4f})\n{'from':>6} {'count':>6} {'mean':>6} {'right':>6}")
    for least, most in pairwise(BOUNDS):
        part = [row for row in rows if least <= probability(row) < most]
        if part:
            mean = sum(map(probability, part)) / len(part)
            right = sum(row.is_right for row in part) / len(part)
            print(f"{least:6.2f} {len(part):6} {mean:6.3f} {right:6.3f}")


def main(folder: Path) -> None:
    rows, hits = guesses(sequences(folder))
    places = hits["places"]
    print(
        f"{places} held-out calls: hit@1 {hits['first'] / places:.3f}, hit@3 {hits['third'] / places:.3f}"
    )
    print(
        f"plain bigram: hit@1 {hits['plain_first'] / places:.3f}, hit@3 {hits['plain_third'] / places:.3f}"
    )
    slope, shift = fitted(rows)
    print(f"PREDICTION_SLOPE {slope:.2f}, PREDICTION_SHIFT {shift:.2f}")
    by_fold = {fold: fitted([row for row in rows if row.fold != fold]) for fold in range(FOLDS)}

    def calibrated(row: Guess) -> float:
        slope, shift = by_fold[row.fold]
        return _sigmoid(slope * _log_odds(row.raw) + shift)

    reliability("share of a plain bigram", rows, lambda row: row.plain)
    reliability("raw", rows, lambda row: row.raw)
    reliability("calibrated", rows, calibrated)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
