"""The store at size, measured small."""

import tempfile
from pathlib import Path

import pytest

from recollect.bench.store import measure


def test_every_work_is_a_multiple_of_reading_the_same_files_bare() -> None:
    results = measure(100, rounds=1)

    assert list(results) == [
        "read and parse every file (baseline)",
        "list",
        "doctor",
        "index",
        "save one",
    ]
    rows = list(results.values())
    base = rows[0]["seconds"]
    assert rows[0]["ratio"] == 1.0
    assert [row["ratio"] for row in rows] == [row["seconds"] / base for row in rows]


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
