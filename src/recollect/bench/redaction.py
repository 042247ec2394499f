"""Does the gate find secrets, and does it leave look-alikes alone?

A case counts as found when the gate removes something from it: cases are short, with one secret or none.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from recollect.bench.json_lines import read
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
        RedactionCase(line.text("text"), line.flag("secret"), line.text("kind"))
        for line in read(data / "cases.jsonl.gz")
    ]
    lines = [line.text("text") for line in read(benign / "lines.jsonl.gz")] if benign else []
    total = len(cases) + len(lines)
    touched = []
    for done, text in enumerate([*(case.text for case in cases), *lines], start=1):
        touched.append(bool(find(text)))
        if progress:
            progress(done, total)
    size = len(cases)
    return RedactionScores(tuple(cases), tuple(touched[:size]), len(lines), sum(touched[size:]))


def _share(outcomes: list[bool], *, empty: float = 0.0) -> float:
    return sum(outcomes) / len(outcomes) if outcomes else empty
