"""What every store of call sequences does."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.conformance.engines import OpenState
from tests.requirements import requirement

from recollect.learning import retention
from recollect.learning.ports import SequenceStore

MakeSequences = Callable[[Path], SequenceStore]


@pytest.fixture
def make(open_state: OpenState) -> MakeSequences:
    return lambda folder: open_state(folder).sequences


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
    monkeypatch.setattr(retention, "MAX_CALLS", 3)
    store = make(tmp_path)

    store.add([("one", f"s:{number}") for number in range(5)])

    assert store.latest(10, 100) == [["s:2", "s:3", "s:4"]]


def test_no_call_of_several_processes_is_lost(make: MakeSequences, tmp_path: Path) -> None:
    make(tmp_path)

    def work(number: int) -> None:
        for step in range(5):
            make(tmp_path).add([(f"session {number}", f"s:{step}")])

    with ThreadPoolExecutor(4) as workers:
        list(workers.map(work, range(4)))

    assert make(tmp_path).latest(10, 100) == [[f"s:{step}" for step in range(5)]] * 4
