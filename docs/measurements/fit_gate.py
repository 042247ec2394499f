"""Fit the gate's weights: `python docs/measurements/fit_gate.py SET...`, the folders of labelled sets.

Prints, for each strategy, the weights that `recollect.retrieval.gate` holds, what the gate does to every set
that is left out of the fit, and what is lost without each signal. The hand-made set always takes part. What
is not named takes no part, not even as a stranger. Needs numpy; the second half needs a model.
"""

import random
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recollect.bench import gate, sample_project
from recollect.bench.data_sets import DataSet, load
from recollect.bench.gate import GateCase
from recollect.retrieval.search import Strategy

OWN = "hand-made"
ABOUT = ("coverage", "together", "phrase", "everyday", "named", "touched", "length")
SIGNALS: dict[Strategy, tuple[Sequence[str], Sequence[str]]] = {
    "fts5_bm25": (ABOUT, ("coverage", "telling", "named", "ahead")),
    "hybrid": ((*ABOUT, "cosine"), ("telling", "named", "ahead")),
}
ROOM = {"fts5_bm25": 0.0, "hybrid": 2.0}  # by which the first bias is raised: few strange prompts pass
WEIGHT = {
    "own": 1.0,
    "strange": 1.0,
    "written": 0.5,
    "near": 0.25,
}  # of each kind of prompt, in any set
L2_ABOUT, L2_FOUND = 1e-4, 1e-3  # of the mean loss
SHARE = 0.605  # of a set's own prompts that are injected where precisions are compared

Vector = NDArray[np.float64]
Model = tuple[Vector, Vector]
Names = tuple[Sequence[str], Sequence[str]]  # of the signals that each question looks at


@dataclass(frozen=True, slots=True)
class Row:
    """One prompt put to one set: its role in the fit, and for the hand-made set its kind."""

    set: str
    role: str
    case: GateCase
    kind: str = ""

    @property
    def right(self) -> bool:
        return any(self.case.hits)

    @property
    def long(self) -> bool:
        return self.kind.startswith("long")


def main() -> None:
    """Fit, then print the weights and both tables."""
    sets = [load(Path(name)) for name in sys.argv[1:]]
    for strategy, names in SIGNALS.items():
        rows = list(hand_made(strategy, sets))
        for data in sets:
            rows += others(strategy, data, sets)
        print(f"## {strategy}\n")
        print_weights(strategy, fitted(rows, *names))
        print_left_out(strategy, rows)
        print_without(strategy, rows)


def hand_made(strategy: Strategy, sets: Sequence[DataSet]) -> Iterable[Row]:
    """The project's own prompts, and queries of the sets put to its memories."""
    tried = sample_project.run_prompts(strategy)
    for one, case in zip(tried, sample_project.cases(tried), strict=True):
        kind = one.prompt.kind
        near = kind.removeprefix("long_") == "near_miss"
        yield Row(OWN, "own" if case.answerable else "near" if near else "written", case, kind)
    pool = [question.text for data in sets for question in data.questions]
    some = random.Random(1).sample(pool, min(len(pool), gate.MOST_UNRELATED))  # noqa: S311 - repeatable
    for case in sample_project.cases(
        sample_project.run_prompts(strategy, sample_project.strangers(some))
    ):
        yield Row(OWN, "strange", case)


def others(strategy: Strategy, data: DataSet, sets: Sequence[DataSet]) -> Iterable[Row]:
    """A set's own queries, those of other groups and sets, and hand-written ones about any work."""
    for case in gate.run_cases(data, [other for other in sets if other is not data], strategy):
        yield Row(data.name, "own" if case.answerable else "strange", case)
    generic = [prompt.query for prompt in sample_project.prompts() if prompt.kind == "generic"]
    for case in gate.run_unrelated(data, generic, strategy):
        yield Row(data.name, "written", case)


def fitted(rows: Sequence[Row], about: Sequence[str], found: Sequence[str]) -> Model:
    """Both logistic models. Sets weigh the same, and so does each kind of prompt within all of them."""
    seen = [row for row in rows if row.case.signals is not None]
    own = [row for row in seen if row.role == "own"]
    return (
        logistic(seen, about, lambda row: row.role == "own", L2_ABOUT),
        logistic(own, found, lambda row: row.right, L2_FOUND),
    )


def logistic(
    rows: Sequence[Row], names: Sequence[str], label: Callable[[Row], bool], l2: float
) -> Vector:
    """The bias and what each signal counts, by Newton's method."""
    x, y, w = values(rows, names), np.array([float(label(row)) for row in rows]), shares(rows)
    penalty = np.array([0.0] + [l2] * len(names))
    found = np.zeros(x.shape[1])
    for _ in range(50):
        p = sigmoid(x @ found)
        slope = x.T @ (w * (p - y)) + penalty * found
        curve = (x * (w * p * (1 - p))[:, None]).T @ x + np.diag(penalty)
        found -= np.linalg.lstsq(curve, slope, rcond=None)[0]
    return found


def values(rows: Sequence[Row], names: Sequence[str]) -> Vector:
    """A line of signals for each row, led by a one for the bias."""
    return np.array(
        [[1.0] + [getattr(row.case.signals, name) or 0.0 for name in names] for row in rows]
    )


def shares(rows: Sequence[Row]) -> Vector:
    """What each row weighs: of one in all, the same for each set, and by role within it."""
    roles = [(row.set, row.role) for row in rows]
    many = {role: roles.count(role) for role in set(roles)}
    whole = {
        name: sum(WEIGHT[role] for other, role in many if other == name)
        for name in {row.set for row in rows}
    }
    return np.array(
        [WEIGHT[row.role] / many[row.set, row.role] / whole[row.set] / len(whole) for row in rows]
    )


def sigmoid(evidence: Vector) -> Vector:
    """Probabilities."""
    return 1 / (1 + np.exp(-evidence))


def probabilities(rows: Sequence[Row], model: Model, names: Names, room: float) -> Vector:
    """What the gate would say of these; 0 where nothing was found."""
    seen = [place for place, row in enumerate(rows) if row.case.signals is not None]
    some = [rows[place] for place in seen]
    result = np.zeros(len(rows))
    about = sigmoid(values(some, names[0]) @ model[0] + room)
    result[seen] = about * sigmoid(values(some, names[1]) @ model[1])
    return result


def left_out(rows: Sequence[Row], name: str, names: Names, room: float = 0.0) -> Vector:
    """What a gate that never saw a set says of it."""
    model = fitted([row for row in rows if row.set != name], *names)
    return probabilities([row for row in rows if row.set == name], model, names, room)


def print_weights(strategy: Strategy, model: Model) -> None:
    """As they stand in the gate, with the room that was given."""
    for name, names, weights in zip(("about", "found"), SIGNALS[strategy], model, strict=True):
        bias = weights[0] + (ROOM[strategy] if name == "about" else 0.0)
        counts = ", ".join(f"{of}={weight:.1f}" for of, weight in zip(names, weights[1:], strict=True))
        print(f"    {name}=Weights({bias:.1f}, {counts}),")


def print_left_out(strategy: Strategy, rows: Sequence[Row]) -> None:
    """What the product's threshold does to each set that took no part."""
    limit = gate.calibrated(strategy)
    print("\n| left out | injected | precision | strange | hand-written | near misses |")
    print("|---|---|---|---|---|---|")
    for name in dict.fromkeys(row.set for row in rows):
        out = [row for row in rows if row.set == name]
        found = left_out(rows, name, SIGNALS[strategy], ROOM[strategy])
        print_rates(name, out, found >= limit)
        long = [place for place, row in enumerate(out) if row.long]
        if long:
            print_rates(f"{name}, long", [out[place] for place in long], found[long] >= limit)


def print_rates(name: str, rows: Sequence[Row], passed: NDArray[np.bool_]) -> None:
    """One line: how many own prompts are injected, how often rightly, and how many of the others."""
    roles = np.array([row.role for row in rows])
    right = np.array([row.right for row in rows])
    own = roles == "own"
    shares = [
        passed[own],
        right[own & passed],
        *(passed[roles == role] for role in WEIGHT if role != "own"),
    ]
    print(f"| {name} | {' | '.join(f'{share.mean():.3f}' if share.size else '' for share in shares)} |")


def print_without(strategy: Strategy, rows: Sequence[Row]) -> None:
    """What each signal earns: loss, and precision at one share, the mean over sets left out."""
    about, found = SIGNALS[strategy]
    print("\n| without | loss | of long prompts | precision |\n|---|---|---|---|")
    print_worth("nothing", rows, (about, found))
    for name in about:
        print_worth(f"{name} (first)", rows, (tuple(one for one in about if one != name), found))
    for name in found:
        print_worth(f"{name} (second)", rows, (about, tuple(one for one in found if one != name)))
    print()


def print_worth(label: str, rows: Sequence[Row], names: Names) -> None:
    """One line of what a choice of signals is worth."""
    losses, precisions, long = [], [], 0.0
    for name in dict.fromkeys(row.set for row in rows):
        out = [row for row in rows if row.set == name]
        p = left_out(rows, name, names)
        losses.append(loss(out, p))
        if name == OWN:
            places = [place for place, row in enumerate(out) if row.long]
            long = loss([out[place] for place in places], p[places])
        else:
            precisions.append(precision(out, p))
    print(f"| {label} | {np.mean(losses):.3f} | {long:.3f} | {np.mean(precisions):.3f} |")


def loss(rows: Sequence[Row], p: Vector) -> float:
    """The log loss over the prompts of a set, weighed as in the fit: was what was asked for given?"""
    right = np.array([row.role == "own" and row.right for row in rows])
    return float(-shares(rows) @ np.log(np.clip(np.where(right, p, 1 - p), 1e-6, 1)))


def precision(rows: Sequence[Row], p: Vector) -> float:
    """How many injections are right when `SHARE` of a set's own prompts get one."""
    own = [(chance, row.right) for row, chance in zip(rows, p, strict=True) if row.role == "own"]
    given = sorted(own, reverse=True)[: round(SHARE * len(own))]
    return sum(right for _, right in given) / len(given)


if __name__ == "__main__":
    main()
