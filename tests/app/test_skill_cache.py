"""A value that expires: computed once for all callers, and again when it is dropped or too old."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.requirements import requirement

from recollect.app.skill_cache import ExpiringValue

PATIENCE = 20


class Maker:
    """Counts the values it computes; blocks while `go` is not set."""

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
def test_fifty_callers_at_once_share_one_value_computed_once() -> None:
    make = Maker()
    make.go.clear()
    cached = ExpiringValue(make, 60)
    ready = threading.Barrier(51, timeout=PATIENCE)

    def ask(_: int) -> list[int]:
        ready.wait()
        return cached.get()

    with ThreadPoolExecutor(50) as pool:
        asked = [pool.submit(ask, n) for n in range(50)]
        ready.wait()
        make.go.set()
        values = [future.result(PATIENCE) for future in asked]

    assert make.made == 1
    assert all(value is values[0] for value in values)


@requirement("skills:cache:ttl")
def test_a_value_is_reused_until_it_expires() -> None:
    make, watch = Maker(), Watch()
    cached = ExpiringValue(make, 300, watch)

    first = cached.get()
    watch.now = 299.9
    assert cached.get() is first
    watch.now = 300.0
    assert cached.get() is not first
    assert make.made == 2


@requirement("skills:cache:drop")
def test_after_a_drop_a_new_value_is_computed() -> None:
    cached = ExpiringValue(Maker(), 300)

    first = cached.get()
    cached.drop()
    second = cached.get()
    first.append(99)

    assert second == [2]


@requirement("skills:cache:drop")
def test_a_value_dropped_while_it_is_computed_is_not_stored() -> None:
    make = Maker()
    make.go.clear()
    cached = ExpiringValue(make, 300)
    with ThreadPoolExecutor(1) as pool:
        early = pool.submit(cached.get)
        assert make.started.wait(PATIENCE)
        cached.drop()
        make.go.set()
        first = early.result(PATIENCE)

    assert cached.get() is not first
    assert make.made == 2


def test_an_error_is_raised_and_the_next_caller_tries_again() -> None:
    tries = iter([OSError("no such folder"), None])

    def make() -> str:
        if error := next(tries):
            raise error
        return "made"

    cached = ExpiringValue(make, 300)
    with pytest.raises(OSError, match="no such folder"):
        cached.get()

    assert cached.get() == "made"


def test_without_a_time_to_live_the_value_is_computed_every_time() -> None:
    make = Maker()
    cached = ExpiringValue(make, 0)

    assert cached.get() is not cached.get()


@requirement("skills:cache:ttl")
def test_the_latest_value_is_ready_without_waiting_until_it_is_dropped() -> None:
    cached = ExpiringValue(Maker(), 0)
    assert cached.ready() is None

    made = cached.get()

    assert cached.ready() is made
    cached.drop()
    assert cached.ready() is None
