from datetime import timedelta

import pytest
from tests.requirements import requirement
from tests.samples import NOW, document

from recollect.clock import to_text
from recollect.errors import RefusedError
from recollect.records.categories import Category
from recollect.records.lifecycle import (
    Retention,
    archive,
    changed,
    restore,
    retire,
    to_collect,
    to_retire,
)
from recollect.records.record import Memory, Status

LATER = NOW + timedelta(days=1)


def memory(**fields: object) -> Memory:
    return Memory.parse(document(**fields))  # type: ignore[arg-type]


def session(id: str, days_old: float) -> Memory:
    moment = to_text(NOW - timedelta(days=days_old))
    return Memory.parse(document(Category.SESSION_SUMMARY, id=id, created_at=moment, updated_at=moment))


def test_a_change_is_noted_counted_and_dated() -> None:
    after = changed(memory(), {"title": "New"}, "Renamed", LATER)

    assert after.title == "New"
    assert after.updated_at == LATER
    assert after.times_updated == 1
    assert after.rows("changes") == [{"date": to_text(LATER), "summary": "Renamed"}]


def test_a_clock_that_runs_behind_does_not_turn_the_time_back() -> None:
    after = changed(memory(), {}, "x", NOW - timedelta(days=400))

    assert after.updated_at == NOW


@requirement("records:lifecycle:history-capped")
def test_the_history_keeps_the_newest_fifty_changes_and_the_count_goes_on() -> None:
    found = memory()
    for number in range(60):
        found = changed(found, {}, f"change {number}", NOW)

    summaries = [row["summary"] for row in found.rows("changes")]
    assert summaries == [f"change {number}" for number in range(10, 60)]
    assert found.times_updated == 60


@requirement("records:lifecycle:retire-and-restore")
def test_a_retired_memory_says_when_and_why_and_is_as_before_when_restored() -> None:
    retired = retire(memory(), "Obsolete", LATER)
    assert retired.status is Status.RETIRED
    assert retired.retired_at == LATER
    assert retired.document["retired_reason"] == "Obsolete"

    restored = restore(retired, LATER)
    assert restored.status is Status.ACTIVE
    assert restored.retired_at is None
    kept = {"changes", "times_updated", "updated_at"}
    assert {k: v for k, v in restored.document.items() if k not in kept} == {
        k: v for k, v in memory().document.items() if k not in kept
    }


def test_an_archived_memory_says_when_and_why() -> None:
    archived = archive(memory(), "History", LATER)

    assert archived.status is Status.ARCHIVED
    assert archived.document["archived_at"] == to_text(LATER)
    assert archived.document["archived_reason"] == "History"
    assert restore(archived, LATER).status is Status.ACTIVE


def test_retiring_an_archived_memory_takes_the_archive_dates_away_and_back() -> None:
    retired = retire(archive(memory(), "a", NOW), "b", NOW)
    assert "archived_at" not in retired.document

    archived = archive(retired, "c", NOW)
    assert "retired_at" not in archived.document


def test_a_memory_that_is_there_already_is_not_sent_there_again() -> None:
    retired = retire(memory(), "x", NOW)

    with pytest.raises(RefusedError, match="is already retired"):
        retire(retired, "y", NOW)
    with pytest.raises(RefusedError, match="is already archived"):
        archive(archive(memory(), "x", NOW), "y", NOW)
    with pytest.raises(RefusedError, match="is already active"):
        restore(memory(), NOW)


@requirement("records:lifecycle:grace")
def test_a_retired_memory_is_collected_only_after_its_grace_period() -> None:
    retired = retire(memory(), "x", NOW)

    assert to_collect([retired], Retention(), NOW + timedelta(days=30)) == []
    (expiry,) = to_collect([retired], Retention(), NOW + timedelta(days=30, seconds=1))
    assert expiry.memory == retired
    assert "30 days" in expiry.reason


@requirement("records:lifecycle:archived-never-collected")
def test_archived_and_active_memories_are_never_collected() -> None:
    century = NOW + timedelta(days=36_500)

    assert to_collect([memory(), archive(memory(), "x", NOW)], Retention(), century) == []


def test_a_retired_memory_without_a_date_counts_from_its_last_change() -> None:
    undated = memory(record_status="retired")

    assert to_collect([undated], Retention(), NOW + timedelta(days=29)) == []
    assert to_collect([undated], Retention(), NOW + timedelta(days=31)) != []


def test_a_date_at_the_end_of_time_breaks_nothing() -> None:
    far = memory(record_status="retired", retired_at="9999-12-31T23:59:59Z")

    assert to_collect([far], Retention(), NOW) == []


@requirement("records:lifecycle:window")
def test_five_session_summaries_stay_active_and_the_oldest_go_first() -> None:
    sessions = [session(f"s{days}", days) for days in (6, 1, 3, 7, 2, 5, 4)]

    found = to_retire(sessions, Retention(), NOW)

    assert [expiry.memory.id for expiry in found] == ["s6", "s7"]
    assert "newest 5" in found[0].reason


@requirement("records:lifecycle:retention")
def test_a_session_summary_is_retired_after_ninety_days() -> None:
    found = to_retire([session("old", 90.01), session("new", 90)], Retention(), NOW)

    assert [(expiry.memory.id, expiry.reason) for expiry in found] == [("old", "older than 90 days")]


def test_other_categories_stay_and_retired_ones_count_for_no_window() -> None:
    decisions = [memory(id=f"d{n}", updated_at="2001-01-01") for n in range(9)]
    sessions = [session(f"s{n}", n) for n in range(5)]
    gone = [retire(session(f"r{n}", n), "x", NOW) for n in range(5)]

    assert to_retire([*decisions, *sessions, *gone], Retention(), NOW) == []


def test_zero_keeps_without_end() -> None:
    forever = Retention(days={}, at_most={})

    assert to_retire([session(f"s{n}", 1000) for n in range(20)], forever, NOW) == []
