"""What every store of observed schemas does."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.conformance.engines import OpenGateway

from recollect.gateway.observed_schema import Observed, merged, observed
from recollect.gateway.ports import ObservedSchemas

MakeStore = Callable[[Path], ObservedSchemas]


@pytest.fixture
def make(open_gateway: OpenGateway) -> MakeStore:
    return lambda folder: open_gateway(folder).observed


def seen(value: object) -> Observed:
    part = observed(value)
    assert part is not None
    return part


def test_each_result_refines_what_the_next_process_reads(make: MakeStore, tmp_path: Path) -> None:
    first, second = seen({"a": 1, "b": "x"}), seen({"a": None})

    assert make(tmp_path).get("s", "t") is None
    make(tmp_path).refine("s", "t", first)
    make(tmp_path).refine("s", "t", second)
    make(tmp_path).refine("s", "t", second)

    assert make(tmp_path).get("s", "t") == merged(first, second)
    assert make(tmp_path).get("s", "other") is None


def test_calls_at_the_same_time_lose_nothing(make: MakeStore, tmp_path: Path) -> None:
    make(tmp_path)
    names = [f"field_{letter}" for letter in "abcdefghijklmnop"]

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda name: make(tmp_path).refine("s", "t", seen({name: 1})), names))

    stored = make(tmp_path).get("s", "t")
    assert stored is not None
    assert sorted(stored.fields) == names
