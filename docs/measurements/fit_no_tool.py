"""Fit "no tool fits": `python docs/measurements/fit_no_tool.py SET...`, the folders of labelled tool sets.

Prints the coefficients that `recollect.gateway.confidence` holds, without and with meaning, and for every
set what the confidence does to it when it is left out of the fit. Strangers are a set's own requests that no
tool answers, and requests of the other sets. Needs numpy; the second half needs a model.
"""

import random
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recollect.app.tool_search import ToolSearch, open_tool_search
from recollect.bench.metrics import auroc
from recollect.bench.tools import ToolSet, load_tool_set
from recollect.gateway.weights import FITS

OWN, STRANGE = 400, 200  # requests of a set that take part, and of each other set
L2 = 1e-3  # of the mean loss

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Row:
    """One request put to one set: whether a tool of the set answers it, and the signals of the match."""

    set: str
    fits: bool
    kind: str
    signals: list[float]


def rows(sets: list[ToolSet], *, by_meaning: bool) -> list[Row]:
    """Every set with its own requests and with strange ones."""
    chance = random.Random(1)  # noqa: S311 - repeatable, not secret
    result = []
    for data in sets:
        search = open_tool_search(data.tools)
        if by_meaning:
            search.embed()
        own = chance.sample(data.questions, min(OWN, len(data.questions)))
        result += [row(search, data, question.text, "own") for question in own]
        result += [row(search, data, text, "no tool") for text in data.no_tool]
        for other in sets:
            if other is not data:
                strange = chance.sample(other.questions, min(STRANGE, len(other.questions)))
                result += [row(search, data, each.text, f"of {other.name}") for each in strange]
    return result


def row(search: ToolSearch, data: ToolSet, text: str, kind: str) -> Row:
    signals = search.find(text).signals
    values = signals.as_list() if signals else []
    return Row(data.name, kind == "own", kind, values)


def weights_of(cases: list[Row]) -> Vector:
    """Every kind of request of every set counts the same; own requests as much as all strange ones."""
    kinds = {(case.set, case.kind) for case in cases}
    sizes = {kind: sum((case.set, case.kind) == kind for case in cases) for kind in kinds}
    strange = {name: sum(kind[0] == name and kind[1] != "own" for kind in kinds) for name, _ in kinds}
    return np.array(
        [1 / sizes[case.set, case.kind] / (1 if case.fits else strange[case.set]) for case in cases]
    )


def fit(cases: list[Row]) -> Vector:
    """Logistic regression by Newton's method."""
    inputs = with_constant(cases)
    fits, weight = np.array([float(case.fits) for case in cases]), weights_of(cases)
    weight /= weight.sum()
    coefficients = np.zeros(inputs.shape[1])
    penalty = L2 * np.array([0.0] + [1.0] * (len(coefficients) - 1))
    for _ in range(100):
        chance = 1 / (1 + np.exp(-inputs @ coefficients))
        slope = inputs.T @ (weight * (chance - fits)) + penalty * coefficients
        bend = (inputs * (weight * chance * (1 - chance))[:, None]).T @ inputs + np.diag(
            penalty + 1e-12
        )
        step = np.linalg.solve(bend, slope)
        coefficients -= step
        if abs(step).max() < 1e-9:
            break
    return coefficients


def with_constant(cases: list[Row]) -> Vector:
    return np.array([[1.0, *case.signals] for case in cases])


def report(name: str, cases: list[Row], coefficients: Vector) -> None:
    chances = dict(
        zip(map(id, cases), 1 / (1 + np.exp(-with_constant(cases) @ coefficients)), strict=True)
    )
    own = [chances[id(case)] for case in cases if case.fits]
    accepted = sum(chance >= FITS for chance in own) / len(own)
    print(f"  {name}: {accepted:.2f} of its own requests are accepted")
    for kind in sorted({case.kind for case in cases if not case.fits}):
        strange = [chances[id(case)] for case in cases if case.kind == kind]
        refused = sum(chance < FITS for chance in strange) / len(strange)
        print(f"    {kind}: AUROC {auroc(own, strange):.3f}, refused {refused:.2f}")


def main(folders: list[str]) -> None:
    sets = [load_tool_set(Path(folder)) for folder in folders]
    for by_meaning in (False, True):
        cases = [case for case in rows(sets, by_meaning=by_meaning) if case.signals]
        print("with meaning" if by_meaning else "by words", np.round(fit(cases), 2).tolist())
        for data in sets:
            left_out = [case for case in cases if case.set == data.name]
            others = [case for case in cases if case.set != data.name]
            report(data.name, left_out, fit(others if others else cases))


if __name__ == "__main__":
    main(sys.argv[1:])
