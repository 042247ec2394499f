"""Does the gate find secrets, and does it leave look-alikes alone?

A case counts as found when the gate removes something from it: cases are short, with one secret or none.
"""

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recollect.errors import InvalidError, NotFoundError
from recollect.records.store import Progress
from recollect.redaction.redact import find


@dataclass(frozen=True, slots=True)
class RedactionCase:
    """A text, whether it contains a secret, and the kind of the secret or the look-alike."""

    text: str
    secret: bool
    kind: str


@dataclass(frozen=True, slots=True)
class RedactionScores:
    """What the gate did: cases that it touched, and lines."""

    cases: tuple[RedactionCase, ...]
    touched: tuple[bool, ...]
    lines: int
    touched_lines: int

    @property
    def recall(self) -> float:
        """The share of secrets that were found."""
        return _share([touched for case, touched in self._pairs() if case.secret], empty=1.0)

    @property
    def false_positive_rate(self) -> float:
        """The share of look-alikes that were taken for a secret."""
        return _share([touched for case, touched in self._pairs() if not case.secret])

    @property
    def benign_line_rate(self) -> float | None:
        """The share of plain lines that were touched; None when there were none."""
        return self.touched_lines / self.lines if self.lines else None

    def wrong(self, *, secret: bool) -> dict[str, int]:
        """How many cases of each kind went wrong: secrets missed, or look-alikes touched."""
        return dict(
            Counter(case.kind for case, touched in self._pairs() if case.secret == secret != touched)
        )

    def _pairs(self) -> Iterator[tuple[RedactionCase, bool]]:
        return zip(self.cases, self.touched, strict=True)


def measure(
    data: Path, benign: Path | None = None, progress: Progress | None = None
) -> RedactionScores:
    """Run the gate over the cases of one folder and, if it is given, the plain lines of another."""
    cases = [
        RedactionCase(str(row["text"]), bool(row["secret"]), str(row["kind"]))
        for row in _rows(data / "cases.jsonl.gz", "text", "secret", "kind")
    ]
    lines = [str(row["text"]) for row in _rows(benign / "lines.jsonl.gz", "text")] if benign else []
    total = len(cases) + len(lines)
    touched = []
    for done, text in enumerate([*(case.text for case in cases), *lines], start=1):
        touched.append(bool(find(text)))
        if progress:
            progress(done, total)
    size = len(cases)
    return RedactionScores(tuple(cases), tuple(touched[:size]), len(lines), sum(touched[size:]))


def _rows(path: Path, *fields: str) -> Iterator[dict[str, Any]]:
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                row = json.loads(line)
                if missing := [name for name in fields if name not in row]:
                    raise InvalidError(f"{str(path)!r}, line {number} has no {missing[0]!r}.")
                yield row
    except FileNotFoundError:
        raise NotFoundError(
            f"there is no {path.name!r} in {str(path.parent)!r}; --data names the folder of one set."
        ) from None
    except (OSError, ValueError) as error:
        raise InvalidError(f"{str(path)!r} cannot be read: {error}.") from None


def _share(found: list[bool], *, empty: float = 0.0) -> float:
    return sum(found) / len(found) if found else empty
