"""Measuring the check of patterns."""

import gzip
import json
from pathlib import Path

import pytest
from tests.cli.shapes import SHAPES, mismatches
from typer.testing import CliRunner

from recollect.bench.regex import HARMLESS_MS, Labelled, PatternOutcome, load, measure, scores
from recollect.cli.main import app
from recollect.errors import InvalidError, NotFoundError

ROWS = [
    {"pattern": "(a+)+b", "vulnerable": True},
    {"pattern": "error|fail", "vulnerable": False},
    {"pattern": r"\d{4}-\d\d", "vulnerable": False},
]


def write(folder: Path, text: str) -> Path:
    (folder / "patterns.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    return folder


def test_the_measurement_prints_the_documented_shape(tmp_path: Path) -> None:
    write(tmp_path, "".join(json.dumps(row) + "\n" for row in ROWS))

    done = CliRunner().invoke(app, ["bench", "regex", "--data", str(tmp_path), "--json"])
    told = json.loads(done.stdout)

    assert mismatches(told, SHAPES["bench regex"]) == []
    assert (told["vulnerable_handled"], told["safe_refused"]) == (1.0, 0.0)
    assert 0 < told["worst_ms"] < HARMLESS_MS
    assert "1.000 of 1" in CliRunner().invoke(app, ["bench", "regex", "--data", str(tmp_path)]).stdout


def test_a_vulnerable_pattern_is_handled_when_it_is_refused_or_quick() -> None:
    hangs, refused, quick = (
        PatternOutcome(Labelled("x", vulnerable=True), why, took)
        for why, took in ((None, HARMLESS_MS + 1), ("slow", 0.0), (None, 1.0))
    )

    scored = scores((hangs, refused, quick))

    assert scored["vulnerable_handled"] == pytest.approx(2 / 3, abs=1e-4)
    assert scored["worst_ms"] == HARMLESS_MS + 1


def test_refused_safe_patterns_are_counted() -> None:
    found = measure(
        [Labelled("(?=a)b", vulnerable=False), Labelled("a", vulnerable=False)], lambda *_: None
    )

    assert found["safe_refused"] == 0.5


def test_a_set_that_is_not_there_or_not_readable_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"patterns\.jsonl\.gz"):
        load(tmp_path)
    with pytest.raises(InvalidError, match=r"patterns\.jsonl\.gz"):
        load(write(tmp_path, '{"pattern": "a"}\n'))
