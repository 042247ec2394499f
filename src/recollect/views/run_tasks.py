"""The tasks of a run as the page draws them: who waits for whom, what went in and what came out."""

import json
from typing import Any, NotRequired, TypedDict

from recollect.workflow.run_state import RunState, TaskRun

_SHOWN = 64_000  # characters of a value that are shown; the vault has the rest


class RunGraphTask(TypedDict):
    """A task in the picture of a run: `needs` are the tasks that it waits for, `layer` how deep it is.

    `parent` is the task whose list or code it comes from.
    """

    id: str
    tool: str
    status: str
    layer: int
    needs: list[str]
    parent: NotRequired[str]


class RunGraphOutput(TypedDict):
    """The graph of a run."""

    run: str
    tasks: list[RunGraphTask]


class RunTaskOutput(TypedDict):
    """One task of a run: its arguments as they were called, and its output, whole or its beginning as text.

    `cut` says that only the beginning is here; `handle` reads the rest (GET /api/results/HANDLE).
    `expired`: the output was in the vault and is there no more.
    """

    id: str
    tool: str
    status: str
    attempts: int
    milliseconds: float
    needs: list[str]
    arguments: Any
    output: Any
    cut: bool
    handle: str
    expired: bool
    error: str
    code: NotRequired[str]


class StoredResultOutput(TypedDict):
    """A piece of a stored result as text, where it is, and the tool that gave it.

    `next` is the range that continues it; null at the end.
    """

    tool: str
    handle: str
    where: str
    text: str
    next: str | None


def run_graph_output(run: str, state: RunState) -> RunGraphOutput:
    """Every task with what it waits for."""
    return {"run": run, "tasks": [_graph_task(task, state) for task in state.tasks.values()]}


def _graph_task(run: TaskRun, state: RunState) -> RunGraphTask:
    id = run.task.id
    row: RunGraphTask = {
        "id": id,
        "tool": run.task.tool,
        "status": run.status,
        "layer": state.graph.layers.get(id, 0),
        "needs": list(state.graph.sources.get(id, ())),
    }
    place = run.task.item or run.task.origin
    return row if place is None else row | {"parent": place.parent}


def run_task_output(run: TaskRun, needs: tuple[str, ...]) -> RunTaskOutput:
    """One task with what went in and what came out."""
    output, is_cut = shown_value(run.output)
    arguments, _ = shown_value(dict(run.arguments or run.task.arguments))
    row: RunTaskOutput = {
        "id": run.task.id,
        "tool": run.task.tool,
        "status": run.status,
        "attempts": run.attempts,
        "milliseconds": run.milliseconds,
        "needs": list(needs),
        "arguments": arguments,
        "output": output,
        "cut": is_cut,
        "handle": run.handle,
        "expired": run.has_expired,
        "error": run.error,
    }
    return row | {"code": run.task.code} if run.task.code else row


def shown_value(value: object) -> tuple[object, bool]:
    """A value, or its beginning as text if it is long; and whether it was cut."""
    text = json.dumps(value, ensure_ascii=False)
    return (value, False) if len(text) <= _SHOWN else (text[:_SHOWN], True)
