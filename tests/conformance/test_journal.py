"""What every journal of runs does, and every store of grants."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from tests.conformance.engines import OpenState
from tests.requirements import requirement

from recollect.errors import LockedError, StoreError
from recollect.workflow import events
from recollect.workflow.commands import Command
from recollect.workflow.events import JournalEntry, RunEvent
from recollect.workflow.grants import Grant
from recollect.workflow.ports import Grants, Journal

FIRST, SECOND, THIRD = (f"2026-01-0{day}T00:00:00Z" for day in (1, 2, 3))
START = events.RunStarted({"tasks": [{"id": "a", "tool": "s:t"}]})


@pytest.fixture
def journal(open_state: OpenState, tmp_path: Path) -> Journal:
    return open_state(tmp_path).journal


@pytest.fixture
def grants(open_state: OpenState, tmp_path: Path) -> Grants:
    return open_state(tmp_path).grants


def entry(number: int, event: RunEvent, at: str = FIRST) -> JournalEntry:
    return JournalEntry(number, at, event)


EVERY_KIND: list[RunEvent] = [
    START,
    events.RunResumed(),
    events.RunPaused("error", ("a", "b")),
    events.RunContinued(accepts=False),
    events.RunAborting("enough"),
    events.RunFinished("partial"),
    events.TasksAdded(({"id": "b", "tool": "s:t"},), "agent"),
    events.TaskReady("a"),
    events.TaskExpanded("a", 3),
    events.ApprovalRequested("a", "0f", {"x": [1, None]}, "ask *"),
    events.ApprovalDecided("a", "0f", True, "person", "g1"),
    events.TaskStarted("a", 1, "write", {"x": "\ud800 é"}),
    events.TaskSucceeded("a", {"deep": [1.5, {"y": None}]}, 12.5, "call"),
    events.TaskFailed("a", "no", "tool", 1.0),
    events.TaskRetried("a", "no", 2.0),
    events.TaskSuspended("a", ("a-1", "a-2"), "c2VhbGVk"),
    events.TaskSkipped("a", "because"),
    events.TaskCancelled("a", "aborted"),
    events.TaskInDoubt("a", "who knows"),
    events.TaskReset("a", "again", {"x": 2}),
    events.ContextSet({"branch": "main"}),
    events.MessageAdded("agent", "go"),
    events.CommandApplied("c1", {"name": "pause"}, "agent"),
    events.CommandRefused("c2", {"name": "skip"}, "agent", "no such task"),
]


@requirement("workflow:events:closed")
def test_every_kind_of_event_is_read_back_as_it_was_written(journal: Journal) -> None:
    assert {type(event) for event in EVERY_KIND} == set(events.EVENTS)
    entries = [entry(number, event) for number, event in enumerate(EVERY_KIND, 1)]

    journal.begin("r1", "try", entries[0])
    journal.append("r1", entries[1:5], "running", sync=True)
    journal.append("r1", entries[5:], "partial")

    assert journal.entries("r1") == entries
    assert journal.entries("r1", after=20, limit=2) == entries[20:22]


def test_events_with_a_gap_or_written_twice_are_refused_and_nothing_is_lost(journal: Journal) -> None:
    journal.begin("r1", "", entry(1, START))

    for wrong in ([entry(1, START)], [entry(3, START)]):
        with pytest.raises(StoreError):
            journal.append("r1", wrong, "running")

    assert [written.number for written in journal.entries("r1")] == [1]


def test_of_two_writers_of_the_same_event_one_is_refused(open_state: OpenState, tmp_path: Path) -> None:
    """A process that lost its lease must not write over what the next one wrote."""
    open_state(tmp_path).journal.begin("r1", "", entry(1, START))

    def work(writer: int) -> int:
        journal, written = open_state(tmp_path).journal, 0
        for number in range(2, 12):
            message = events.MessageAdded("agent", f"writer {writer}")
            with suppress(StoreError):
                journal.append("r1", [entry(number, message)], "running")
                written += 1
        return written

    with ThreadPoolExecutor(2) as workers:
        assert sum(workers.map(work, range(2))) == 10
    assert [each.number for each in open_state(tmp_path).journal.entries("r1")] == list(range(1, 12))


def test_of_two_processes_that_begin_a_run_one_is_refused(
    open_state: OpenState, tmp_path: Path
) -> None:
    open_state(tmp_path)

    def work(_: int) -> int:
        try:
            open_state(tmp_path).journal.begin("r1", "", entry(1, START))
        except StoreError:
            return 0
        return 1

    with ThreadPoolExecutor(4) as workers:
        assert sum(workers.map(work, range(4))) == 1


def test_a_run_is_begun_once(journal: Journal) -> None:
    journal.begin("r1", "", entry(1, START))

    with pytest.raises(StoreError, match="already"):
        journal.begin("r1", "", entry(1, START))


def test_runs_are_listed_by_their_last_change(journal: Journal) -> None:
    for run, at in (("r1", FIRST), ("r2", SECOND)):
        journal.begin(run, f"do {run}", entry(1, START, at))
    journal.append("r1", [entry(2, events.RunPaused("command"), THIRD)], "paused")

    first, second = journal.runs(10)

    assert (first.id, first.intent, first.status, first.events) == ("r1", "do r1", "paused", 2)
    assert (first.started_at, first.changed_at) == (FIRST, THIRD)
    assert second.id == "r2"
    assert journal.get("nothing") is None


@requirement("workflow:commands:queue")
def test_a_command_waits_until_an_event_settles_it_and_is_left_once(journal: Journal) -> None:
    journal.begin("r1", "", entry(1, START))
    first, second = Command("c1", "pause", {"why": "é"}, "person", "cli"), Command("c2", "abort")
    for command in (first, second, first):
        journal.send("r1", command, SECOND)
    assert journal.waiting("r1") == [first, second]

    journal.append("r1", [entry(2, events.CommandApplied("c1", {}, "person"))], "paused")

    assert journal.waiting("r1") == [second]
    assert journal.waiting("r2") == []


def test_a_lease_is_for_one_at_a_time(open_state: OpenState, tmp_path: Path) -> None:
    first, second = open_state(tmp_path).journal, open_state(tmp_path).journal

    with first.lease("r1"):
        with pytest.raises(LockedError, match="another process"), second.lease("r1"):
            pass
        with second.lease("r2"):
            pass

    with second.lease("r1"):
        pass


def test_a_lease_ends_when_its_work_fails(open_state: OpenState, tmp_path: Path) -> None:
    journal = open_state(tmp_path).journal

    def fail() -> None:
        with journal.lease("r1"):
            raise RuntimeError("no luck")

    with pytest.raises(RuntimeError):
        fail()
    with open_state(tmp_path).journal.lease("r1"):
        pass


def test_pruning_takes_old_runs_that_ended_and_no_other(journal: Journal) -> None:
    for run, at, status in (
        ("old", FIRST, "succeeded"),
        ("open", FIRST, "paused"),
        ("new", THIRD, "failed"),
        ("newer", THIRD, "aborted"),
    ):
        journal.begin(run, "", entry(1, START, at))
        journal.append(run, [entry(2, START, at)], status)  # type: ignore[arg-type]

    assert journal.prune(SECOND, most=10) == 1
    assert {record.id for record in journal.runs(10)} == {"open", "new", "newer"}
    assert journal.entries("old") == []
    assert journal.prune(SECOND, most=1) == 1


@requirement("workflow:approval:grants")
def test_a_grant_is_used_as_often_as_it_says_and_no_more(open_state: OpenState, tmp_path: Path) -> None:
    open_state(tmp_path).grants.add(Grant("g1", "s:t", {"x": "*"}, 10, THIRD, "person"))

    def work(_: int) -> int:
        grants = open_state(tmp_path).grants
        return sum(grants.use("g1", SECOND) for _ in range(5))

    with ThreadPoolExecutor(4) as workers:
        assert sum(workers.map(work, range(4))) == 10
    [grant] = open_state(tmp_path).grants.of("s:t")
    assert grant.uses == 0


@requirement("workflow:approval:grants")
def test_an_expired_or_removed_grant_is_of_no_use(grants: Grants) -> None:
    grants.add(Grant("g1", "s:t", {"x": "*"}, 2, SECOND, "person"))

    assert not grants.use("g1", SECOND)
    assert grants.use("g1", FIRST)
    assert grants.of("s:other") == []
    assert grants.of("s:t") == [Grant("g1", "s:t", {"x": "*"}, 1, SECOND, "person")]
    assert grants.remove("g1")
    assert not grants.remove("g1")
    assert not grants.use("g1", FIRST)


@requirement("workflow:approval:grants")
def test_a_grant_ends_with_its_last_use_and_ended_ones_are_pruned(grants: Grants) -> None:
    for id, uses, expires in (("used", 1, "2999"), ("ended", 5, FIRST), ("open", 5, "2999")):
        grants.add(Grant(id, "s:t", {}, uses, expires, "person"))
    assert grants.use("used", SECOND)
    assert grants.use("open", SECOND)

    assert grants.prune(FIRST) == 0
    assert grants.prune(SECOND) == 1
    [used, other] = grants.of("s:t")
    assert (used.id, used.refusal({}, THIRD)) == ("used", "the grant used has no uses left")
    assert grants.prune(THIRD) == 1
    assert grants.of("s:t") == [other]
