"""When tasks waited and ran, and the chain that decided how long a run took."""

import itertools
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from random import Random

from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement
from tests.workflow.simulation import Simulation, task

from recollect.workflow import events
from recollect.workflow.timeline import Pause, TaskSpan, Timeline, critical_path, time_by_kind, timeline

START = datetime(2026, 11, 16, 10, tzinfo=UTC)


def journal(*happened: tuple[float, events.RunEvent]) -> list[events.JournalEntry]:
    """Events with their seconds after the start."""
    return [
        events.JournalEntry(number, (START + timedelta(seconds=second)).isoformat(), event)
        for number, (second, event) in enumerate(happened, 1)
    ]


def drawn(*happened: tuple[float, events.RunEvent], now: float = 0) -> Timeline:
    first = (0.0, events.RunStarted({"tasks": []}))
    return timeline(journal(first, *happened), START + timedelta(seconds=now))


def test_a_task_waits_in_the_queue_for_a_person_and_for_its_call() -> None:
    shown = drawn(
        (0, events.TaskReady("write")),
        (1, events.ApprovalRequested("write", "a1", {}, "rule")),
        (1, events.RunPaused("approval", ("write",))),
        (5, events.ApprovalDecided("write", "a1", True, "person")),
        (5, events.RunContinued(False)),
        (6, events.TaskStarted("write", 1, "write", {})),
        (8, events.TaskSucceeded("write", None)),
        (8, events.RunFinished("succeeded")),
        now=99,
    )

    assert shown.tasks["write"] == [
        TaskSpan("queued", 0, 1000),
        TaskSpan("approval", 1000, 5000),
        TaskSpan("queued", 5000, 6000),
        TaskSpan("running", 6000, 8000),
    ]
    assert shown.pauses == (Pause("approval", 1000, 5000),)
    assert shown.milliseconds == 8000


def test_what_is_open_ends_now_and_what_was_rejected_or_doubted_says_so() -> None:
    shown = drawn(
        (0, events.ApprovalRequested("asked", "a1", {}, "rule")),
        (2, events.ApprovalDecided("asked", "a1", False, "person")),
        (2, events.TaskStarted("read", 1, "read", {})),
        (3, events.TaskRetried("read", "busy", 2)),
        (5, events.TaskStarted("read", 2, "read", {})),
        (5, events.TaskInDoubt("write", "nobody knows")),
        (6, events.RunPaused("in_doubt", ("write",))),
        now=10,
    )

    assert shown.tasks["asked"] == [TaskSpan("approval", 0, 2000)]
    assert shown.tasks["read"] == [
        TaskSpan("running", 2000, 3000),
        TaskSpan("retry", 3000, 5000),
        TaskSpan("running", 5000, 10_000),
    ]
    assert shown.tasks["write"] == [TaskSpan("doubt", 5000, 10_000)]
    assert shown.pauses == (Pause("in_doubt", 6000, 10_000),)


def test_the_time_in_which_no_process_had_the_run_counts_for_no_call() -> None:
    shown = drawn(
        (0, events.TaskStarted("read", 1, "read", {})),
        (2, events.TaskReady("other")),
        (60, events.RunResumed()),
        (60, events.TaskReset("read", "interrupted")),
        (61, events.TaskStarted("read", 2, "read", {})),
        (62, events.TaskSucceeded("read", None)),
        now=63,
    )

    assert shown.tasks["read"] == [TaskSpan("running", 0, 2000), TaskSpan("running", 61_000, 62_000)]


def test_items_of_a_list_wait_from_when_the_list_is_known_and_code_waits_for_its_calls() -> None:
    shown = drawn(
        (1, events.TaskExpanded("each", 2)),
        (2, events.TaskStarted("each[1]", 1, "read", {})),
        (3, events.TaskSucceeded("each[1]", None)),
        (3, events.TaskSuspended("code", ("call",))),
        (4, events.TaskCancelled("each[0]", "aborted")),
        (4, events.TaskFailed("each", "items", "items")),
        now=4,
    )

    assert shown.tasks["each"] == [TaskSpan("running", 1000, 4000)]
    assert shown.tasks["each[0]"] == [TaskSpan("queued", 1000, 4000)]
    assert shown.tasks["each[1]"] == [TaskSpan("queued", 1000, 2000), TaskSpan("running", 2000, 3000)]
    assert shown.tasks["code"] == [TaskSpan("calls", 3000, 4000)]


@requirement("page:runs:critical-path")
def test_the_critical_path_follows_the_source_that_ended_last() -> None:
    spans = {
        "fetch": [TaskSpan("running", 0, 100)],
        "lint": [TaskSpan("running", 0, 700)],
        "build": [TaskSpan("queued", 100, 110), TaskSpan("running", 110, 900)],
        "publish": [TaskSpan("approval", 900, 4000), TaskSpan("running", 4000, 4200)],
        "notify": [TaskSpan("running", 900, 1000)],
        "publish[0]": [TaskSpan("running", 4000, 9000)],
    }
    sources = {
        "fetch": (),
        "lint": (),
        "build": ("fetch", "unknown"),
        "publish": ("lint", "build"),
        "notify": ("build",),
        "never": ("publish",),
    }

    path = critical_path(spans, sources)

    assert path == ("fetch", "build", "publish")
    assert time_by_kind(path, spans) == {"running": 1090, "queued": 10, "approval": 3100}
    assert critical_path({}, sources) == ()


@given(st.data())
def test_of_every_run_spans_are_in_order_and_the_path_is_a_chain_that_ends_last(
    data: st.DataObject,
) -> None:
    count = data.draw(st.integers(1, 7))
    needs = [
        data.draw(st.sets(st.integers(0, number - 1))) if number else set() for number in range(count)
    ]
    tasks = [task(f"t{n}", needs=[f"t{other}" for other in sorted(needs[n])]) for n in range(count)]
    run = Simulation(tasks)
    state = run.run(seed=data.draw(st.integers(0, 99)))
    entries = _timed(run.log, Random(data.draw(st.integers(0, 99))))

    shown = timeline(entries, START)
    path = critical_path(shown.tasks, state.graph.sources)

    assert set(shown.tasks) == set(state.tasks)
    for spans in shown.tasks.values():
        assert all(span.start <= span.end <= shown.milliseconds for span in spans)
        assert all(first.end == second.start for first, second in itertools.pairwise(spans))
    assert shown.tasks[path[-1]][-1].end == max(spans[-1].end for spans in shown.tasks.values())
    assert not state.graph.sources[path[0]]
    for source, following in itertools.pairwise(path):
        assert source in state.graph.sources[following]
        assert shown.tasks[source][-1].end <= shown.tasks[following][0].start


def _timed(log: Sequence[events.RunEvent], rng: Random) -> list[events.JournalEntry]:
    second, timed = 0.0, []
    for event in log:
        timed.append((second, event))
        second += rng.choice([0, 0.001, 1])
    return journal(*timed)
