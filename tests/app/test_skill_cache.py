"""One object, kept: made once for all who ask, and anew when it is dropped or too old."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.requirements import requirement

from recollect.app.skill_cache import ExpiringValue

PATIENCE = 20


class Maker:
    """Counts what it makes; waits until it is let go, if it is told to."""

    def __init__(self) -> None:
        self.made = 0
        self.started = threading.Event()
        self.go = threading.Event()
        self.go.set()

    def __call__(self) -> list[int]:
        self.started.set()
        assert self.go.wait(PATIENCE)
        self.made += 1
        return [self.made]


class Watch:
    """A clock that is moved by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@requirement("skills:cache:single-flight")
def test_fifty_who_ask_at_once_get_one_object_made_once() -> None:
    make = Maker()
    make.go.clear()
    kept = ExpiringValue(make, 60)
    ready = threading.Barrier(51, timeout=PATIENCE)

    def ask(_: int) -> list[int]:
        ready.wait()
        return kept.get()

    with ThreadPoolExecutor(50) as pool:
        asked = [pool.submit(ask, n) for n in range(50)]
        ready.wait()
        make.go.set()
        found = [one.result(PATIENCE) for one in asked]

    assert make.made == 1
    assert all(one is found[0] for one in found)


@requirement("skills:cache:ttl")
def test_it_is_kept_until_its_time_is_up() -> None:
    make, watch = Maker(), Watch()
    kept = ExpiringValue(make, 300, watch)

    first = kept.get()
    watch.now = 299.9
    assert kept.get() is first
    watch.now = 300.0
    assert kept.get() is not first
    assert make.made == 2


@requirement("skills:cache:drop")
def test_after_a_drop_another_is_made_and_shares_nothing_with_the_first() -> None:
    kept = ExpiringValue(Maker(), 300)

    first = kept.get()
    kept.drop()
    second = kept.get()
    first.append(99)

    assert second == [2]


@requirement("skills:cache:drop")
def test_what_was_under_way_when_it_was_dropped_is_not_kept() -> None:
    make = Maker()
    make.go.clear()
    kept = ExpiringValue(make, 300)
    with ThreadPoolExecutor(1) as pool:
        early = pool.submit(kept.get)
        assert make.started.wait(PATIENCE)
        kept.drop()
        make.go.set()
        first = early.result(PATIENCE)

    assert kept.get() is not first
    assert make.made == 2


def test_what_goes_wrong_goes_to_whoever_asked_and_the_next_one_tries_again() -> None:
    tries = iter([OSError("no such folder"), None])

    def make() -> str:
        if error := next(tries):
            raise error
        return "made"

    kept = ExpiringValue(make, 300)
    with pytest.raises(OSError, match="no such folder"):
        kept.get()

    assert kept.get() == "made"


def test_with_no_time_to_live_it_is_made_every_time() -> None:
    make = Maker()
    kept = ExpiringValue(make, 0)

    assert kept.get() is not kept.get()


@requirement("skills:cache:ttl")
def test_what_was_made_last_is_there_for_who_cannot_wait_until_it_is_dropped() -> None:
    kept = ExpiringValue(Maker(), 0)
    assert kept.ready() is None

    made = kept.get()

    assert kept.ready() is made
    kept.drop()
    assert kept.ready() is None
