"""What a run looks like: as JSON for programs, as text for an agent."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

from recollect.records.display import one_line
from recollect.workflow.calling import ApprovalQuestion
from recollect.workflow.comparing import RunDifference
from recollect.workflow.events import VERSION, JournalEntry, event_fields, event_name
from recollect.workflow.ports import RunRecord
from recollect.workflow.run_state import RunState, TaskRun

_LINE = 300  # characters of an event on a line
_PREVIEW = 200  # characters of an output that another task reads
_WHAT_TO_DO: Mapping[str, str] = {
    "error": "control: modify_args, replan, inject_tasks or skip, then continue; or abort",
    "layer": "control: continue",
    "task": "control: continue",
    "command": "control: continue",
    "stopped": "control: continue",
    "approval": "a person decides: `recollect run approve` or `recollect run reject`",
    "in_doubt": "a person decides: `recollect run approve` repeats it, `recollect run reject` gives it up",
    "missing_value": "control: modify_args with the value that is not stored",
}


class RunTask(TypedDict):
    """One task of a run. `output` is there where no other task reads it, else `preview` has its beginning.

    `source` says where the output comes from: a call, its items, a speculation, a recording, a schema, a fork
    or a person. `expired`: the output was in the vault and is there no more.
    """

    id: str
    tool: str
    status: str
    attempts: int
    milliseconds: float
    source: NotRequired[str]
    output: NotRequired[Any]
    preview: NotRequired[str]
    handle: NotRequired[str]
    expired: NotRequired[bool]
    error: NotRequired[str]
    approval: NotRequired[str]


class RunPause(TypedDict):
    """Why a run waits, about which tasks, and what to do."""

    reason: str
    tasks: list[str]
    next: str


class RunOutput(TypedDict):
    """A run: `paused` only if it waits for somebody."""

    run: str
    intent: str
    status: str
    ended: int
    total: int
    tasks: list[RunTask]
    paused: NotRequired[RunPause]


class RunRow(TypedDict):
    """A run in a list."""

    id: str
    intent: str
    status: str
    started_at: str
    changed_at: str
    events: int


class RunsOutput(TypedDict):
    """`run list`: what changed last comes first."""

    runs: list[RunRow]


class CommandOutput(TypedDict):
    """What became of a command: applied, refused with a reason, or waiting for a process that has the run."""

    id: str
    status: str
    reason: str


class RunApproval(TypedDict):
    """A call that waits for a person: `approval` names this call alone; `summary` is what they read."""

    task: str
    tool: str
    approval: str
    arguments: dict[str, Any]
    rule: str
    summary: str


class RunApprovalsOutput(TypedDict):
    """The calls of a run that wait for a person."""

    approvals: list[RunApproval]


class RunDifferenceRow(TypedDict):
    """A part of a task that differs: `task`, `tool`, `arguments`, `status`, `output` or `error`."""

    task: str
    part: str
    first: Any
    second: Any


class RunDiffOutput(TypedDict):
    """`run diff`."""

    differences: list[RunDifferenceRow]


class RunForkOutput(TypedDict):
    """`run fork`: the new run, the tasks whose output it uses, and writes that ask before they are redone."""

    run: str
    reused: list[str]
    asks: list[str]


class RunEventRow(TypedDict):
    """One event, as docs/formats/run-events.md says."""

    number: int
    at: str
    name: str
    fields: dict[str, Any]
    redacted: list[str]


class RunExport(TypedDict):
    """`run export`: a run with all its events."""

    format: str
    version: int
    run: RunRow
    events: list[RunEventRow]


def run_export(record: RunRecord, entries: Sequence[JournalEntry]) -> RunExport:
    """A run as a document of its own."""
    return {
        "format": "recollect-run",
        "version": VERSION,
        "run": run_row(record),
        "events": [event_row(entry) for entry in entries],
    }


def event_row(entry: JournalEntry) -> RunEventRow:
    """One event."""
    return {
        "number": entry.number,
        "at": entry.at,
        "name": event_name(entry.event),
        "fields": event_fields(entry.event),
        "redacted": list(entry.redacted),
    }


def approval_row(question: ApprovalQuestion, summary: str) -> RunApproval:
    """One call that waits for a person."""
    return {
        "task": question.task,
        "tool": question.tool,
        "approval": question.approval,
        "arguments": question.arguments,
        "rule": question.rule,
        "summary": summary,
    }


def event_line(entry: JournalEntry) -> str:
    """One event on a line."""
    fields = event_fields(entry.event)
    task = fields.pop("task", "")
    details = json.dumps(fields, ensure_ascii=False) if fields else ""
    return f"{entry.number:4} {entry.at} {event_name(entry.event)} {task} {details}"[:_LINE]


def difference_row(difference: RunDifference) -> RunDifferenceRow:
    """One difference of two runs."""
    return {
        "task": difference.task,
        "part": difference.part,
        "first": difference.first,
        "second": difference.second,
    }


def run_output(run: str, state: RunState) -> RunOutput:
    """A run and its tasks, in the order of the workflow."""
    read = {source for waits_for in state.graph.sources.values() for source in waits_for}
    output: RunOutput = {
        "run": run,
        "intent": state.workflow.intent,
        "status": state.status,
        "ended": sum(task.has_ended for task in state.tasks.values()),
        "total": len(state.tasks),
        "tasks": [_task_row(task, is_read=id in read) for id, task in state.tasks.items()],
    }
    if state.paused_for is not None:
        output["paused"] = {
            "reason": state.paused_for,
            "tasks": list(state.paused_about),
            "next": _WHAT_TO_DO[state.paused_for],
        }
    return output


def _task_row(run: TaskRun, *, is_read: bool) -> RunTask:
    row: RunTask = {
        "id": run.task.id,
        "tool": run.task.tool,
        "status": run.status,
        "attempts": run.attempts,
        "milliseconds": run.milliseconds,
    }
    if run.error:
        row["error"] = run.error
    if run.status == "waiting_approval":
        row["approval"] = run.approval
    if run.status == "succeeded":
        row["source"] = run.source or "call"
        if run.handle:
            row["handle"] = run.handle
        if run.has_expired:
            row["expired"] = True
        elif is_read or run.handle or run.task.item is not None:
            row["preview"] = _preview(run.output)
        else:
            row["output"] = run.output
    return row


def _preview(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _PREVIEW else f"{text[:_PREVIEW]} …"


def run_text(output: RunOutput) -> str:
    """The run for an agent: what ended how, and what to do next."""
    head = f"{output['run']}: {output['status']}, {output['ended']} of {output['total']} tasks ended"
    lines = [head, *map(_task_line, output["tasks"])]
    if paused := output.get("paused"):
        about = f" about {', '.join(paused['tasks'])}" if paused["tasks"] else ""
        lines.append(f"paused ({paused['reason']}){about}; next: {paused['next']}")
    return "\n".join(lines)


def _task_line(row: RunTask) -> str:
    detail = row.get("error") or row.get("preview") or ""
    if row.get("expired"):
        detail = "its output has expired"
    if "output" in row:
        detail = json.dumps(row["output"], ensure_ascii=False)
    handle = f" [read_result {row['handle']}]" if "handle" in row else ""
    return f"- {row['id']} ({row['tool']}): {row['status']}{handle}{': ' if detail else ''}{one_line(detail)}"


def run_row(record: RunRecord) -> RunRow:
    """A run in a list."""
    return {
        "id": record.id,
        "intent": record.intent,
        "status": record.status,
        "started_at": record.started_at,
        "changed_at": record.changed_at,
        "events": record.events,
    }
