"""Results that are kept, so that the next run can say whether anything got worse."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recollect.errors import InvalidError


@dataclass(frozen=True, slots=True)
class Regression:
    """A measure that fell below the interval it was in before."""

    strategy: str
    measure: str
    before: float
    low: float
    now: float


def read(path: Path) -> dict[str, Any] | None:
    """What an earlier run kept; None when there was none."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise InvalidError(
            f"{str(path)!r} is no kept result: {error}; delete it to start anew."
        ) from None
    if not isinstance(found, dict) or not isinstance(found.get("results"), dict):
        raise InvalidError(f"{str(path)!r} is no kept result; delete it to start anew.")
    return found


def write(path: Path, result: Mapping[str, Any]) -> None:
    """Keep a result."""
    path.write_text(json.dumps(result, indent=2) + "\n", "utf-8")


def regressions(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[Regression]:
    """Measures that are now below the interval they had. What only one run has is not compared."""
    found = []
    for strategy, old in before["results"].items():
        new = now["results"].get(strategy, {})
        for measure, (low, _high) in old.get("intervals", {}).items():
            if measure in new and new[measure] < low:
                found.append(Regression(strategy, measure, old[measure], low, new[measure]))
    return found
