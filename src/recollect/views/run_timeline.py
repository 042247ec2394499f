"""A run in time, and its events in pages, as the page draws them."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import NotRequired, TypedDict

from recollect.workflow.events import JournalEntry, event_fields, event_name
from recollect.workflow.run_state import RunState
from recollect.workflow.timeline import TaskSpan, critical_path, time_by_kind, timeline

_DETAILS = 2_000  # characters of an event that are shown


class TimelineSpan(TypedDict):
    """A stretch of a task, in milliseconds from the start of the run.

    `kind` is queued, approval, running, calls (code waits for its calls), retry or doubt.
    """

    kind: str
    start: float
    end: float


class TimelineTask(TypedDict):
    """A task with its spans; none for one that never was ready. `parent`: its list or code."""

    id: str
    tool: str
    status: str
    spans: list[TimelineSpan]
    parent: NotRequired[str]


class TimelinePause(TypedDict):
    """A stretch in which no task started, and why."""

    reason: str
    start: float
    end: float


class RunTimelineOutput(TypedDict):
    """A run in time. `path` is the chain of tasks that decided how long it took, first to last.

    `path_milliseconds` says how long its tasks waited and ran, by kind of span.
    """

    run: str
    status: str
    started_at: str
    milliseconds: float
    tasks: list[TimelineTask]
    pauses: list[TimelinePause]
    path: list[str]
    path_milliseconds: dict[str, float]


class LoggedEvent(TypedDict):
    """An event of a run; `details` are its fields as JSON text, `cut` if only their beginning is here."""

    number: int
    at: str
    name: str
    task: str
    details: str
    cut: bool
    redacted: list[str]


class RunLogOutput(TypedDict):
    """Events of a run, the newest first; `before` continues with older ones, null at the first."""

    run: str
    events: list[LoggedEvent]
    before: int | None


def run_timeline_output(
    run: str, state: RunState, entries: Sequence[JournalEntry], now: datetime
) -> RunTimelineOutput:
    """Every task with when it waited and ran."""
    drawn = timeline(entries, now)
    path = critical_path(drawn.tasks, state.graph.sources)
    totals = time_by_kind(path, drawn.tasks)
    return {
        "run": run,
        "status": state.status,
        "started_at": drawn.started_at,
        "milliseconds": drawn.milliseconds,
        "tasks": [_task(id, state, drawn.tasks.get(id, ())) for id in state.tasks],
        "pauses": [
            {"reason": pause.reason, "start": pause.start, "end": pause.end} for pause in drawn.pauses
        ],
        "path": list(path),
        "path_milliseconds": {kind: round(total, 3) for kind, total in totals.items()},
    }


def _task(id: str, state: RunState, spans: Sequence[TaskSpan]) -> TimelineTask:
    run = state.tasks[id]
    row: TimelineTask = {
        "id": id,
        "tool": run.task.tool,
        "status": run.status,
        "spans": [{"kind": span.kind, "start": span.start, "end": span.end} for span in spans],
    }
    place = run.task.item or run.task.origin
    return row if place is None else row | {"parent": place.parent}


def run_log_output(run: str, entries: Sequence[JournalEntry]) -> RunLogOutput:
    """Events in the order of the journal, turned around."""
    first = entries[0].number if entries else 1
    return {
        "run": run,
        "events": [_logged(entry) for entry in reversed(entries)],
        "before": first if first > 1 else None,
    }


def _logged(entry: JournalEntry) -> LoggedEvent:
    fields = event_fields(entry.event)
    task = fields.pop("task", "")
    details = json.dumps(fields, ensure_ascii=False, indent=1) if fields else ""
    return {
        "number": entry.number,
        "at": entry.at,
        "name": event_name(entry.event),
        "task": str(task),
        "details": details[:_DETAILS],
        "cut": len(details) > _DETAILS,
        "redacted": list(entry.redacted),
    }
