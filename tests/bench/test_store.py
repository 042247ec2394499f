"""The store at size, measured small."""

import tempfile
from pathlib import Path

import pytest
from tests.requirements import requirement

from recollect.bench.store import READ, STAT, measure


@requirement("measure:store:budgets")
def test_every_work_is_a_multiple_of_its_baseline_and_promises_have_budgets() -> None:
    results = measure(100, rounds=1)

    baselines = {
        READ: ["doctor", "index", "first build"],
        STAT: ["list", "save one", "first search after a change"],
    }
    for base, names in baselines.items():
        assert results[base]["ratio"] == 1.0
        for name in names:
            assert results[name]["ratio"] == results[name]["seconds"] / results[base]["seconds"]
    assert {name for name, row in results.items() if "budget" in row} == {
        "list",
        "save one",
        "first search after a change",
        "prompt during the build",
    }
    assert all(
        row["kept"] == (row["seconds"] <= row["budget"]) for row in results.values() if "budget" in row
    )


def test_one_memory_is_enough_to_measure() -> None:
    assert all(row["seconds"] > 0 for row in measure(1, rounds=1).values())


def test_what_is_measured_is_not_the_users_own_memory_and_nothing_is_left(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    monkeypatch.setenv("RECOLLECT_MEMORY_ROOT", str(own))

    measure(3, rounds=2)

    assert list(own.iterdir()) == []
    assert not home.exists()
    assert list(Path(tempfile.gettempdir()).iterdir()) == []
