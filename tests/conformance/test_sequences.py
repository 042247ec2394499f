"""What every store of call sequences does."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.requirements import requirement

from recollect.learning.ports import SequenceStore
from recollect.storage.sqlite import call_sequences
from recollect.storage.sqlite.state import StateDatabase

MakeSequences = Callable[[Path], SequenceStore]


def sqlite_sequences(folder: Path) -> SequenceStore:
    return StateDatabase(str(folder / "state.db")).sequences


@pytest.fixture(params=[sqlite_sequences], ids=lambda make: make.__name__)
def make(request: pytest.FixtureRequest) -> MakeSequences:
    factory: MakeSequences = request.param
    return factory


@requirement("learning:next-step:earns")
def test_calls_are_read_back_by_session_and_in_order(make: MakeSequences, tmp_path: Path) -> None:
    make(tmp_path).add([("one", "s:a"), ("two", "s:b"), ("one", "s:c")])
    make(tmp_path).add([("two", "s:b"), ("three", "s:d"), ("two", "s:a")])

    assert make(tmp_path).latest(10, 100) == [["s:a", "s:c"], ["s:b", "s:b", "s:a"], ["s:d"]]
    assert make(tmp_path).latest(2, 100) == [["s:b", "s:b", "s:a"], ["s:d"]]


def test_only_so_many_calls_are_read(make: MakeSequences, tmp_path: Path) -> None:
    make(tmp_path).add([("one", "s:a"), ("two", "s:b"), ("two", "s:c"), ("one", "s:d")])

    assert make(tmp_path).latest(10, 3) == [["s:b", "s:c"], ["s:d"]]
    assert make(tmp_path).latest(1, 3) == [["s:d"]]


def test_the_oldest_calls_make_room(
    make: MakeSequences, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call_sequences, "MAX_CALLS", 3)
    store = make(tmp_path)

    store.add([("one", f"s:{number}") for number in range(5)])

    assert store.latest(10, 100) == [["s:2", "s:3", "s:4"]]
