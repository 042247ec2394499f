"""Results that are kept, so that the next run can say whether anything got worse."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recollect.errors import InvalidError
from recollect.storage.files import atomic


@dataclass(frozen=True, slots=True)
class Regression:
    """A measure that fell below the interval it was in before."""

    strategy: str
    measure: str
    before: float
    low: float
    now: float


def read(path: Path, name: str) -> dict[str, Any] | None:
    """What an earlier run over the set `name` kept; None when there was none.

    Raises InvalidError for a file that holds something else, the result of another set included.
    """
    try:
        found = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise InvalidError(
            f"{str(path)!r} is no kept result: {error}; delete it to start anew."
        ) from None
    if not _is_result(found):
        raise InvalidError(f"{str(path)!r} is no kept result; delete it to start anew.")
    if found["set"] != name:
        raise InvalidError(
            f"{str(path)!r} keeps the result of {found['set']!r}, not of {name!r}; name another file."
        )
    return dict(found)


def _is_result(found: Any) -> bool:
    try:
        return isinstance(found["set"], str) and all(
            isinstance(number, int | float)
            for row in found["results"].values()
            for measure, (low, high) in row["intervals"].items()
            for number in (row[measure], low, high)
        )
    except (AttributeError, KeyError, TypeError, ValueError):
        return False


def write(path: Path, before: Mapping[str, Any] | None, now: Mapping[str, Any]) -> None:
    """Keep a result, and what the one before has of strategies that were not run now."""
    results = {**(before["results"] if before else {}), **now["results"]}
    atomic.write(path, (json.dumps({**now, "results": results}, indent=2) + "\n").encode(), str(path))


def regressions(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[Regression]:
    """Measures that are now below the interval they had. What only one run has is not compared."""
    found = []
    for strategy, old in before["results"].items():
        new = now["results"].get(strategy, {})
        for measure, (low, _high) in old["intervals"].items():
            if measure in new and new[measure] < low:
                found.append(Regression(strategy, measure, old[measure], low, new[measure]))
    return found
