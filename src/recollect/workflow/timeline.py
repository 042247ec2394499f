"""When each task of a run waited and ran, and the chain of tasks that took the time. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from recollect.workflow import events
from recollect.workflow.document import item_id

# "calls": code waits for calls of its own. "doubt": a person decides about a write that was begun.
SpanKind = Literal["queued", "approval", "running", "calls", "retry", "doubt"]


@dataclass(frozen=True, slots=True)
class TaskSpan:
    """A stretch of a task, in milliseconds from the start of the run."""

    kind: SpanKind
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Pause:
    """A stretch in which no task of the run started."""

    reason: events.PauseReason
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Timeline:
    """The spans of each task that had any, in order, and the pauses of the run.

    What is still open ends now, or when the process that had the run wrote last.
    """

    started_at: str
    milliseconds: float
    tasks: Mapping[str, Sequence[TaskSpan]]
    pauses: Sequence[Pause] = ()


@dataclass(slots=True)
class _OpenSpans:
    """What is open while the events are read."""

    tasks: dict[str, list[TaskSpan]] = field(default_factory=dict)
    pauses: list[Pause] = field(default_factory=list)
    open_spans: dict[str, tuple[SpanKind, float]] = field(default_factory=dict)
    open_pause: tuple[events.PauseReason, float] | None = None

    def begin(self, task: str, kind: SpanKind, at: float) -> None:
        self.end(task, at)
        self.open_spans[task] = (kind, at)

    def end(self, task: str, at: float) -> None:
        if task in self.open_spans:
            kind, start = self.open_spans.pop(task)
            self.tasks.setdefault(task, []).append(TaskSpan(kind, start, max(start, at)))

    def end_all(self, at: float, kinds: Sequence[SpanKind] = ()) -> None:
        for task, (kind, _) in list(self.open_spans.items()):
            if not kinds or kind in kinds:
                self.end(task, at)

    def end_pause(self, at: float) -> None:
        if self.open_pause is not None:
            reason, start = self.open_pause
            self.pauses.append(Pause(reason, start, max(start, at)))
            self.open_pause = None


def timeline(entries: Sequence[events.JournalEntry], now: datetime) -> Timeline:
    """The timeline of a run by its journal, up to `now` unless it has finished."""
    if not entries:
        return Timeline("", 0.0, {})
    begin, work, last = _moment(entries[0].at), _OpenSpans(), 0.0
    for entry in entries:
        at = max(last, _milliseconds(begin, _moment(entry.at)))
        _apply(work, entry.event, at, last)
        last = at
    has_finished = isinstance(entries[-1].event, events.RunFinished)
    end = last if has_finished else max(last, _milliseconds(begin, now))
    work.end_all(end)
    work.end_pause(end)
    return Timeline(entries[0].at, end, work.tasks, tuple(work.pauses))


_BEGINS: Mapping[type[events.RunEvent], SpanKind] = {
    events.TaskReady: "queued",
    events.ApprovalRequested: "approval",
    events.TaskStarted: "running",
    events.TaskSuspended: "calls",
    events.TaskRetried: "retry",
    events.TaskInDoubt: "doubt",
}


def _apply(work: _OpenSpans, event: events.RunEvent, at: float, last: float) -> None:
    match event:
        case (
            events.TaskReady(task)
            | events.ApprovalRequested(task)
            | events.TaskStarted(task)
            | events.TaskSuspended(task)
            | events.TaskRetried(task)
            | events.TaskInDoubt(task)
        ):
            work.begin(task, _BEGINS[type(event)], at)
        case events.TaskExpanded(task, items):
            work.begin(task, "running", at)
            for index in range(items):
                work.begin(item_id(task, index), "queued", at)
        case events.ApprovalDecided(task, approved=True):
            work.begin(task, "queued", at)
        case (
            events.ApprovalDecided(task)
            | events.TaskSucceeded(task)
            | events.TaskFailed(task)
            | events.TaskSkipped(task)
            | events.TaskCancelled(task)
            | events.TaskReset(task)
        ):
            work.end(task, at)
        case _:
            _apply_to_run(work, event, at, last)


def _apply_to_run(work: _OpenSpans, event: events.RunEvent, at: float, last: float) -> None:
    match event:
        case events.RunResumed():  # the process before wrote last at `last`: nothing ran after that
            work.end_all(last, ("running", "retry"))
        case events.RunPaused(reason):
            work.end_pause(at)
            work.open_pause = (reason, at)
        case events.RunContinued() | events.RunAborting():
            work.end_pause(at)
        case events.RunFinished():
            work.end_all(at)
            work.end_pause(at)


def critical_path(
    tasks: Mapping[str, Sequence[TaskSpan]], sources: Mapping[str, Sequence[str]]
) -> tuple[str, ...]:
    """The chain that decided when the run was over: its last task, the source that this waited for, and on.

    Of several sources the one that ended last counts; of equal ones the first by id. Tasks of a list or of
    code belong to their parent and are no members.
    """
    known = {id: spans for id, spans in tasks.items() if spans and id in sources}
    path: list[str] = []
    candidates: Iterable[str] = known
    while (last := _last_ended(candidates, known)) is not None and last not in path:
        path.append(last)
        candidates = sources[last]
    return tuple(reversed(path))


def time_by_kind(
    path: Iterable[str], tasks: Mapping[str, Sequence[TaskSpan]]
) -> Mapping[SpanKind, float]:
    """The milliseconds that some tasks spent in each kind of span."""
    totals: dict[SpanKind, float] = {}
    for id in path:
        for span in tasks.get(id, ()):
            totals[span.kind] = totals.get(span.kind, 0.0) + span.end - span.start
    return totals


def _last_ended(ids: Iterable[str], known: Mapping[str, Sequence[TaskSpan]]) -> str | None:
    present = sorted(id for id in ids if id in known)
    return max(present, key=lambda id: known[id][-1].end, default=None)


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _milliseconds(begin: datetime, moment: datetime) -> float:
    return round((moment - begin).total_seconds() * 1_000, 3)
