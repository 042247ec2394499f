"""Fit what a prompt asks for: `python docs/measurements/fit_wanted.py SET...`, sets whose prompts have kinds.

For each strategy: the weights of `choice` and `repair` that separate related prompts from near misses, given
the gate's two models, with each project left out in turn; and how many related prompts the gate serves where
it opens for so many near misses, without these signals, with the weights in use, and with those fitted on the
other projects. Needs numpy, and a model for the second strategy.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recollect.bench import gate
from recollect.bench.data_sets import DataSet, load
from recollect.bench.gate import GateCase
from recollect.retrieval.gate import calibration, probability
from recollect.retrieval.search import Strategy
from recollect.values import replaced

STRATEGIES: tuple[Strategy, ...] = ("fts5_bm25", "hybrid")
NEAR_MISS = "near_miss"
SHARES = (0.05, 0.10, 0.15, 0.20, 0.25, 0.30)  # of near misses that get a memory
L2 = 3e-3

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Row:
    """One prompt of a project, and how it was judged."""

    project: str
    case: GateCase

    @property
    def near_miss(self) -> bool:
        return self.case.kind == NEAR_MISS


def main() -> None:
    """Print weights and curves."""
    sets = [load(Path(name)) for name in sys.argv[1:]]
    for strategy in STRATEGIES:
        rows = [row for data in sets for row in rows_of(data, strategy)]
        print(f"## {strategy}\n")
        fits = {
            project: fitted([row for row in rows if row.project != project])
            for project in projects(rows)
        }
        for project, weights in fits.items():
            print(f"without {project}: choice {weights[1]:.1f}, repair {weights[2]:.1f}")
        used = calibration(rows[0].case.signals)
        print("\n| near misses | " + " | ".join(f"{share:.2f}" for share in SHARES) + " |")
        print("|---" * (len(SHARES) + 1) + "|")
        print_curve("without", rows, dict.fromkeys(fits, np.zeros(3)))
        print_curve("in use", rows, dict.fromkeys(fits, np.array([0.0, used.choice, used.repair])))
        print_curve("project left out", rows, fits)
        print()


def rows_of(data: DataSet, strategy: Strategy) -> list[Row]:
    """The related prompts and near misses of a set that the gate could judge."""
    questions = [question for question in data.questions if question.kind]
    cases = zip(questions, gate.run_kinds(data, strategy), strict=True)
    wanted = [(question, case) for question, case in cases if case.answerable or case.kind == NEAR_MISS]
    return [
        Row(f"{data.name}/{question.group}", case)
        for question, case in wanted
        if case.signals is not None
    ]


def projects(rows: Sequence[Row]) -> list[str]:
    """The projects, each once."""
    return list(dict.fromkeys(row.project for row in rows))


def features(row: Row) -> list[float]:
    """A one, `choice`, `repair`, and the log odds of the two models alone."""
    signals = row.case.signals
    assert signals is not None
    plain = probability(replaced(signals, choice=0.0, repair=0.0), calibration(signals))
    odds = float(np.log(max(plain, 1e-6) / max(1 - plain, 1e-6)))
    return [1.0, signals.choice, signals.repair, odds]


def fitted(rows: Sequence[Row]) -> Vector:
    """Bias, `choice` and `repair` in units of the models' log odds; both kinds of prompts weigh the same."""
    x, y = np.array([features(row) for row in rows]), np.array([not row.near_miss for row in rows])
    weights = np.where(y, 0.5 / y.sum(), 0.5 / (~y).sum())
    found, penalty = np.zeros(4), np.array([0.0, L2, L2, 0.0])
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ found))
        slope = x.T @ (weights * (p - y)) + penalty * found
        curve = (x * (weights * p * (1 - p))[:, None]).T @ x + np.diag(penalty)
        found -= np.linalg.solve(curve, slope)
    return np.asarray(found[:3] / found[3])


def print_curve(label: str, rows: Sequence[Row], weights: Mapping[str, Vector]) -> None:
    """One line: the share of related prompts served at each share of near misses."""
    scores = np.array(
        [features(row)[3] + weights[row.project][1:] @ features(row)[1:3] for row in rows]
    )
    near = np.array([row.near_miss for row in rows])
    worst = np.sort(scores[near])[::-1]
    limits = [worst[int(share * near.sum())] for share in SHARES]
    cells = [f"{(scores[~near] > limit).mean():.2f}" for limit in limits]
    print(f"| {label} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
