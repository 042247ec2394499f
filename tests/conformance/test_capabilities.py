"""What every store of capabilities does."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from tests.conformance.engines import OpenState
from tests.requirements import requirement

from recollect.learning.capabilities import Capability
from recollect.learning.ports import CapabilityStore

FIRST = Capability(
    "first", "d1", "why", "await a_b(x=x)", {"x": [1, "é"]}, ("a:b",), schemas={"a:b": "s1"}
)


@pytest.fixture
def make(open_state: OpenState) -> Callable[[Path], CapabilityStore]:
    return lambda folder: open_state(folder).capabilities


def test_a_capability_is_read_as_it_was_put_by_another_process_too(
    make: Callable[[Path], CapabilityStore], tmp_path: Path
) -> None:
    make(tmp_path).put(FIRST)
    make(tmp_path).put(replace(FIRST, name="a", digest="d2"))
    assert make(tmp_path).all() == [replace(FIRST, name="a", digest="d2"), FIRST]


@requirement("learning:capabilities:counted")
def test_runs_are_counted_by_digest(make: Callable[[Path], CapabilityStore], tmp_path: Path) -> None:
    store = make(tmp_path)
    store.put(FIRST)
    assert store.count("d1", succeeded=True)
    assert store.count("d1", succeeded=False)
    assert not store.count("other", succeeded=True)
    assert store.all() == [replace(FIRST, runs=3, successes=2)]


def test_what_is_removed_is_gone(make: Callable[[Path], CapabilityStore], tmp_path: Path) -> None:
    store = make(tmp_path)
    store.put(FIRST)
    assert store.remove("first")
    assert not store.remove("first")
    assert store.all() == []


@requirement("learning:capabilities:stale")
def test_a_capability_is_pinned_to_the_schemas_it_worked_with(
    make: Callable[[Path], CapabilityStore], tmp_path: Path
) -> None:
    store = make(tmp_path)
    store.put(FIRST)
    store.pin("d1", {"a:b": "s2"})
    store.pin("other", {"a:b": "s3"})
    assert store.all() == [replace(FIRST, schemas={"a:b": "s2"})]


@requirement("learning:capabilities:files")
def test_a_new_name_is_never_that_of_another(
    make: Callable[[Path], CapabilityStore], tmp_path: Path
) -> None:
    store = make(tmp_path)
    other = replace(FIRST, name="other", digest="d2")
    store.put(FIRST)
    store.put(other)
    assert not store.rename("first", "other")
    assert not store.rename("missing", "new")
    assert store.rename("first", "new")
    assert store.all() == [replace(FIRST, name="new", named=True), other]


def test_no_run_that_several_processes_count_is_lost(
    make: Callable[[Path], CapabilityStore], tmp_path: Path
) -> None:
    make(tmp_path).put(FIRST)

    def work(_: int) -> None:
        for _ in range(5):
            make(tmp_path).count("d1", succeeded=True)

    with ThreadPoolExecutor(4) as workers:
        list(workers.map(work, range(4)))

    [capability] = make(tmp_path).all()
    assert (capability.runs, capability.successes) == (FIRST.runs + 20, FIRST.successes + 20)


def test_a_capability_in_place_of_another_of_its_name_or_digest_replaces_it(
    make: Callable[[Path], CapabilityStore], tmp_path: Path
) -> None:
    store = make(tmp_path)
    store.put(FIRST)
    store.put(replace(FIRST, name="second", digest="d2"))

    store.put(replace(FIRST, digest="d2", intent="other"))

    assert store.all() == [replace(FIRST, digest="d2", intent="other")]
