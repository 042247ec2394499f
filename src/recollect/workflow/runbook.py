"""What a run that failed and was then made to work teaches: a runbook, for a person to confirm."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from recollect.records.json_format import Json, JsonObject
from recollect.workflow import events
from recollect.workflow.reducer import reduced
from recollect.workflow.run_state import RunState
from recollect.working.draft import MOST_LINES
from recollect.working.turns import short_line

_TITLE = 80


@dataclass(frozen=True, slots=True)
class _Mending:
    """A task that failed, and what was done about it."""

    task: str
    error: str
    steps: tuple[str, ...]


def runbook_of(run: str, happened: Sequence[events.RunEvent]) -> JsonObject | None:
    """An unconfirmed runbook; None for a run that did not succeed, or in which nothing was mended."""
    state = reduced(happened)
    mended = list(_mended(state, happened)) if state.status in ("succeeded", "partial") else []
    if not mended:
        return None
    first = mended[0]
    tools = dict.fromkeys(state.tasks[each.task].task.tool for each in mended)
    steps = [step for each in mended for step in each.steps][-MOST_LINES:]
    symptoms: list[Json] = [short_line(each.error) for each in mended]
    return {
        "category": "runbook",
        "title": f"Fix: {state.workflow.intent or first.error}"[:_TITLE].strip(),
        "tags": ["workflow", *sorted({tool.partition(":")[0] for tool in tools})],
        "confidence": 0.4,
        "content": {
            "trigger": short_line(f"{state.tasks[first.task].task.tool}: {first.error}"),
            "steps": [*steps],
            "verification": short_line(f"{', '.join(tools)} succeed."),
            "symptoms": symptoms[:MOST_LINES],
        },
        "source": {"kind": "tool", "session": run},
    }


def _mended(state: RunState, happened: Sequence[events.RunEvent]) -> Iterator[_Mending]:
    """Tasks that failed and then succeeded with other arguments, or whose work other tasks did."""
    failures: dict[str, str] = {}
    changes: dict[str, list[str]] = {}
    for event in happened:
        match event:
            case events.TaskFailed(task, error):
                failures.setdefault(task, error)
            case events.TaskReset(task, _, arguments) if task in failures and arguments is not None:
                tool = state.tasks[task].task.tool
                changes.setdefault(task, []).append(_call(tool, arguments))
            case events.TasksAdded(tasks) if failures:
                calls = [_call(str(row.get("tool")), row.get("arguments")) for row in tasks]
                changes.setdefault(next(reversed(failures)), []).extend(calls)
    for task, error in failures.items():
        if task in changes and _is_settled(state, task):
            yield _Mending(task, error, tuple(changes[task]))


def _is_settled(state: RunState, task: str) -> bool:
    """Whether the task itself succeeded, or every task that came later did."""
    if state.tasks[task].status == "succeeded":
        return True
    ids = list(state.tasks)
    later = [state.tasks[id] for id in ids[ids.index(task) + 1 :]]
    return any(run.status == "succeeded" for run in later) and state.tasks[task].status == "failed"


def _call(tool: str, arguments: object) -> str:
    shown = json.dumps(arguments if isinstance(arguments, Mapping) else {}, ensure_ascii=False)
    return short_line(f"Call {tool} with {shown}")
