"""Saved results, so that the next run can report regressions.

For each measure the best value of any run is saved, with its interval. If the last run were saved instead,
quality could drop by one interval per run.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from recollect.app.user_files import write_file
from recollect.errors import InvalidError

LOWER_IS_BETTER = frozenset({"false_inject_rate"})


@dataclass(frozen=True, slots=True)
class Regression:
    """A measure that is outside its saved interval."""

    strategy: str
    measure: str
    before: float
    bound: float
    now: float

    def __str__(self) -> str:
        side = "above" if self.now > self.bound else "below"
        return (
            f"{self.strategy} {self.measure} is {self.now:.3f}, {side} {self.bound:.3f}; "
            f"it was {self.before:.3f}"
        )


def read(path: Path, bench: str, name: str) -> dict[str, Any] | None:
    """The saved result of one measurement over the set `name`; None if there is none.

    Raises InvalidError if the file is not a result, or is the result of another set.
    """
    try:
        saved = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return None
    except IsADirectoryError:
        raise InvalidError(f"{str(path)!r} is a folder; name a file in it.") from None
    except OSError as error:
        raise InvalidError(f"{str(path)!r} cannot be read: {error}; name another file.") from None
    except (ValueError, RecursionError) as error:
        raise InvalidError(
            f"{str(path)!r} is not a saved result: {error}; delete it to start over."
        ) from None
    if not _is_result(saved):
        raise InvalidError(f"{str(path)!r} is not a saved result; delete it to start over.")
    _check(path, "`bench {}`", saved.get("bench", "retrieval"), bench)
    _check(path, "{!r}", saved["set"], name)
    return dict(saved)


def _check(path: Path, shown: str, actual: str, wanted: str) -> None:
    if actual != wanted:
        raise InvalidError(
            f"{str(path)!r} has the result of {shown.format(actual)}, not of {shown.format(wanted)}; "
            f"name another file."
        )


def _is_result(value: Any) -> bool:
    try:
        return isinstance(value["set"], str) and all(
            isinstance(number, int | float) and isfinite(number)
            for row in value["results"].values()
            for measure, (low, high) in row["intervals"].items()
            for number in (row[measure], low, high)
        )
    except (AttributeError, KeyError, TypeError, ValueError):
        return False


def renew(path: Path, before: Mapping[str, Any] | None, now: Mapping[str, Any]) -> list[Regression]:
    """Compare a result with the saved one, and save it if nothing got worse; returns the regressions."""
    worse = regressions(before, now) if before else []
    if not worse:
        write(path, before, now)
    return worse


def write(path: Path, before: Mapping[str, Any] | None, now: Mapping[str, Any]) -> None:
    """Save the better value of each measure; strategies that were not run keep their saved values."""
    results = dict(before["results"]) if before else {}
    for strategy, new in now["results"].items():
        results[strategy] = _best(results[strategy], new) if strategy in results else new
    write_file(path, (json.dumps({**now, "results": results}, indent=2) + "\n").encode())


def _best(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """The new row, with the measures that are better in the old one, or only there."""
    row = {**new, "intervals": dict(new["intervals"])}
    for measure, interval in old["intervals"].items():
        if measure not in new["intervals"] or _is_worse(measure, new[measure], old[measure]):
            row[measure], row["intervals"][measure] = old[measure], interval
    return row


def regressions(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[Regression]:
    """Measures that are outside their saved interval. Only measures of both runs are compared."""
    worse = []
    for strategy, old in before["results"].items():
        new = now["results"].get(strategy, {"intervals": {}})
        for measure, (low, high) in old["intervals"].items():
            bound = high if measure in LOWER_IS_BETTER else low
            if measure in new["intervals"] and _is_worse(measure, new[measure], bound):
                worse.append(Regression(strategy, measure, old[measure], bound, new[measure]))
    return worse


def _is_worse(measure: str, value: float, bound: float) -> bool:
    return value > bound if measure in LOWER_IS_BETTER else value < bound
