"""What every store of receipts does."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.conformance.engines import OpenGateway
from tests.requirements import requirement

from recollect.gateway.ports import Receipts
from recollect.gateway.receipts import Receipt
from recollect.gateway.retention import MAX_DAYS

MakeReceipts = Callable[[Path], Receipts]


@pytest.fixture
def make(open_gateway: OpenGateway) -> MakeReceipts:
    return lambda folder: open_gateway(folder).receipts


@requirement("gateway:receipts:kept")
def test_calls_are_summed_by_tool_from_a_day_on(make: MakeReceipts, tmp_path: Path) -> None:
    receipts = make(tmp_path)
    receipts.record(Receipt("s", "b", "ok", 10, 1, 500, 100), "2026-01-01")
    receipts.record(Receipt("s", "a", "ok", 10, 5, 500, 100), "2026-01-02")
    receipts.record(Receipt("s", "a", "tool_error", 90, 5, 20, 20), "2026-01-03")
    receipts.record_read("s", "a", 70, "2026-01-03")

    both, *rest = make(tmp_path).uses("2026-01-02")

    assert rest == []
    assert both.id == "s:a"
    assert both.outcomes == {"ok": 1, "tool_error": 1, "bad_arguments": 0, "server_failure": 0}
    assert (both.argument_tokens, both.result_tokens, both.reply_tokens) == (10, 520, 120)
    assert (both.used_tokens, both.saved_tokens) == (200, 330)
    assert both.last_day == "2026-01-03"
    assert [use.id for use in make(tmp_path).uses()] == ["s:a", "s:b"]


def test_latencies_are_known_to_a_fifth(make: MakeReceipts, tmp_path: Path) -> None:
    receipts = make(tmp_path)
    for number in range(100):
        receipts.record(Receipt("s", "a", "ok", 100.0 if number < 90 else 2_000.0), "2026-01-01")

    (use,) = receipts.uses()

    assert use.percentile(0.5) == pytest.approx(100, rel=0.2)
    assert use.percentile(0.95) == pytest.approx(2_000, rel=0.2)


def test_it_grows_with_days_and_not_with_calls(make: MakeReceipts, tmp_path: Path) -> None:
    receipts = make(tmp_path)
    days = [f"{2000 + number // 300}-01-{number % 300:03}" for number in range(MAX_DAYS + 50)]
    for day in days:
        receipts.record(Receipt("s", "a", "ok", 1), day)
        receipts.record(Receipt("s", "a", "ok", 1), day)

    (use,) = receipts.uses()

    assert use.calls == 2 * MAX_DAYS


def test_no_call_of_several_processes_is_lost(make: MakeReceipts, tmp_path: Path) -> None:
    make(tmp_path)

    def work(_: int) -> None:
        receipts = make(tmp_path)
        for _ in range(25):
            receipts.record(Receipt("s", "a", "ok", 1), "2026-01-01")

    with ThreadPoolExecutor(4) as workers:
        list(workers.map(work, range(4)))

    assert make(tmp_path).uses()[0].calls == 100


def test_strange_names_are_stored(make: MakeReceipts, tmp_path: Path) -> None:
    receipts = make(tmp_path)
    receipts.record(Receipt("s", "测\ud800'; --", "ok", 1), "2026-01-01")

    assert receipts.uses()[0].calls == 1
