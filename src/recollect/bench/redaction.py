"""Does the gate find secrets, and does it leave look-alikes alone?

A case counts as found when the gate removes something from it: cases are short, with one secret or none.
"""

import statistics
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from recollect.bench.json_lines import read
from recollect.records.store import Progress
from recollect.redaction.redact import find
from recollect.views.benches import BenchRedactionOutput


@dataclass(frozen=True, slots=True)
class RedactionCase:
    """A text, whether it contains a secret, and the kind of the secret or the look-alike."""

    text: str
    secret: bool
    kind: str


def measure(
    data: Path, benign: Path | None = None, progress: Progress | None = None
) -> BenchRedactionOutput:
    """Run the gate over the cases of one folder and, if it is given, the plain lines of another."""
    cases = [
        RedactionCase(line.text("text"), line.flag("secret"), line.text("kind"))
        for line in read(data / "cases.jsonl.gz")
    ]
    lines = [line.text("text") for line in read(benign / "lines.jsonl.gz")] if benign else []
    texts = [*(case.text for case in cases), *lines]
    touched = []
    for done, text in enumerate(texts, start=1):
        touched.append(bool(find(text)))
        if progress:
            progress(done, len(texts))
    outcomes, touched_lines = list(zip(cases, touched, strict=False)), touched[len(cases) :]
    secrets = [(case.kind, hit) for case, hit in outcomes if case.secret]
    others = [(case.kind, hit) for case, hit in outcomes if not case.secret]
    return {
        "recall": round(_share(hit for _, hit in secrets) if secrets else 1.0, 4),
        "false_positive_rate": round(_share(hit for _, hit in others), 4),
        "benign_line_rate": round(_share(touched_lines), 5) if lines else None,
        "positives": len(secrets),
        "negatives": len(others),
        "benign_lines": len(lines),
        "missed": Counter(kind for kind, hit in secrets if not hit),
        "false_positives": Counter(kind for kind, hit in others if hit),
    }


def _share(outcomes: Iterable[bool]) -> float:
    return statistics.fmean(values) if (values := list(outcomes)) else 0.0
