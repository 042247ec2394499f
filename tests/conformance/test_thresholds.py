"""What every store of adaptive thresholds does."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from tests.conformance.engines import OpenState
from tests.requirements import requirement

from recollect.learning.ports import ThresholdStore
from recollect.learning.thresholds import (
    AdaptiveThreshold,
    Adjustment,
    Execution,
    after,
    started,
)

AT = "2026-01-01T10:00:00Z"
LEARNED = AdaptiveThreshold(
    "capability",
    0.8125,
    (Execution(0.1 + 0.2, True, False), Execution(1 / 3, False, True)),
    12,
    "2026-01-01",
    0.8,
    10,
    (Adjustment(AT, 0.8, 0.8125, None), Adjustment(AT, 0.8125, 0.81, 0.85)),
)


@pytest.fixture
def thresholds(open_state: OpenState, tmp_path: Path) -> ThresholdStore:
    return open_state(tmp_path).thresholds


@requirement("learning:thresholds:adaptive")
def test_a_threshold_is_read_as_it_was_put_and_replaced_by_the_next(
    open_state: OpenState, tmp_path: Path, thresholds: ThresholdStore
) -> None:
    thresholds.put(LEARNED)
    assert open_state(tmp_path).thresholds.get("capability") == LEARNED

    later = replace(LEARNED, value=0.9, executions=13)
    thresholds.put(later)

    assert thresholds.get("capability") == later
    assert thresholds.get("speculation") is None


def test_all_are_listed_by_kind(thresholds: ThresholdStore) -> None:
    assert thresholds.all() == []
    speculation = started("speculation")
    for threshold in (speculation, LEARNED):
        thresholds.put(threshold)

    assert thresholds.all() == [LEARNED, speculation]


def test_an_error_in_a_transaction_saves_nothing_of_it(thresholds: ThresholdStore) -> None:
    def fail_halfway() -> None:
        with thresholds.transaction():
            thresholds.put(LEARNED)
            raise RuntimeError("power cut")

    with pytest.raises(RuntimeError):
        fail_halfway()

    assert thresholds.all() == []


def test_no_execution_of_several_processes_is_lost(open_state: OpenState, tmp_path: Path) -> None:
    open_state(tmp_path)

    def work(_: int) -> None:
        store = open_state(tmp_path).thresholds
        for _ in range(10):
            with store.transaction():
                threshold = store.get("capability") or started("capability")
                store.put(after(threshold, Execution(0.5, True, True), AT))

    with ThreadPoolExecutor(4) as workers:
        list(workers.map(work, range(4)))

    threshold = open_state(tmp_path).thresholds.get("capability")
    assert threshold is not None
    assert threshold.executions == 40
