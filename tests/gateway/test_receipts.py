"""What follows from receipts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.gateway.tools import CATALOGUE, tool
from tests.requirements import requirement

from recollect.gateway.receipts import (
    Outcome,
    ToolUse,
    bucket_end,
    bucket_of,
    receipt_report,
    reliability,
    schema_tokens,
)

OK: Outcome = "ok"


@given(st.floats(0, 10_000_000))
def test_a_bucket_holds_its_latency_within_a_fifth(milliseconds: float) -> None:
    end = bucket_end(bucket_of(milliseconds))

    assert end >= milliseconds * 0.999
    assert end <= max(milliseconds, 1) * 1.2


def test_a_tool_that_nobody_called_is_reliable_and_bad_arguments_are_not_its_fault() -> None:
    careless = ToolUse("s", "a", {"ok": 5, "bad_arguments": 90})
    broken = ToolUse("s", "b", {"ok": 5, "tool_error": 90})
    down = ToolUse("s", "c", {"server_failure": 95})

    assert reliability([]) == {}
    assert careless.reliability == ToolUse("s", "a").reliability == 1.0
    assert broken.reliability == pytest.approx(0.1)
    assert down.reliability < 0.1


def test_one_failure_is_no_verdict() -> None:
    assert ToolUse("s", "a", {"tool_error": 1}).reliability > 0.8


@requirement("gateway:receipts:kept")
def test_a_server_that_nobody_called_is_named_with_what_it_costs() -> None:
    uses = [ToolUse("git", "git_log", {OK: 3}, 10, 900, 200, last_day="2026-01-01")]

    report = receipt_report(uses, CATALOGUE, ["git", "time", "files"])

    assert [server.server for server in report.servers] == ["git", "files", "time"]
    assert [server.server for server in report.unused] == ["files", "time"]
    times = [known for known in CATALOGUE if known.server == "time"]
    assert report.unused[1].schema_tokens == sum(map(schema_tokens, times))


def test_a_server_that_was_removed_still_shows_what_it_cost() -> None:
    report = receipt_report([ToolUse("gone", "a", {OK: 1}, 10)], [tool("s:b")], ["s"])

    assert [(server.server, server.tools) for server in report.servers] == [("gone", 0), ("s", 1)]


def test_reading_everything_after_all_saves_nothing() -> None:
    assert ToolUse("s", "a", {OK: 1}, 0, 1_000, 200, 900).saved_tokens == 0
