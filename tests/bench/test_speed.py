"""The budgets, measured small: what is promised here is what is said, not how fast it is."""

import sys
import tempfile
from pathlib import Path

import pytest
from tests.requirements import requirement

from recollect.bench.speed import measure
from recollect.bench.timing import compared
from recollect.hook.process import SERVER_WAIT

SMALL = 100


@requirement("measure:speed:baseline")
def test_every_budget_is_measured_beside_a_baseline_of_the_same_run() -> None:
    pytest.importorskip("numpy")

    rows = list(measure(SMALL, SMALL, rounds=6))

    assert [(row["name"], row["baseline"]) for row in rows] == [
        ("search by words, 100", "bare FTS5"),
        ("update one file of 100", "listing the files"),
        ("open the index of 100", "an empty database"),
        ("search 100 vectors", "bare product"),
    ]
    assert all(row["ratio"] > 0 and 0 < row["p50_ms"] <= row["p95_ms"] for row in rows)
    assert {row["budget_ms"] for row in rows} == {10.0, 20.0, 100.0}


def test_nothing_is_left_behind(home: Path) -> None:
    list(measure(SMALL, SMALL, rounds=1))

    assert list(Path(tempfile.gettempdir()).iterdir()) == []
    assert not home.exists()


def test_without_numpy_everything_but_vectors_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)

    rows = list(measure(SMALL, SMALL, rounds=1))

    assert [row["name"].split()[0] for row in rows] == ["search", "update", "open"]


@pytest.mark.usefixtures("model")
def test_with_a_model_long_prompts_are_measured_against_the_time_that_a_hook_waits() -> None:
    found = next(
        row for row in measure(SMALL, SMALL, rounds=1) if row["name"].startswith("a long prompt")
    )

    assert found["budget_ms"] == SERVER_WAIT * 1000
    assert found["baseline"] == "by words"


def test_a_budget_is_kept_up_to_and_with_its_bound() -> None:
    assert compared("x", [20.0], 20.0, "y", [1.0])["kept"]
    assert not compared("x", [20.1], 20.0, "y", [1.0])["kept"]
