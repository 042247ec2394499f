"""How two runs differ: their tasks, how these ended, and with what."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from recollect.records.json_format import Json
from recollect.workflow.run_state import RunState, TaskRun

Part = Literal["task", "tool", "arguments", "status", "output", "error"]


@dataclass(frozen=True, slots=True)
class RunDifference:
    """One part of one task, in the first run and in the second. None for a task that one of them lacks."""

    task: str
    part: Part
    first: Json
    second: Json


def differences(first: RunState, second: RunState) -> list[RunDifference]:
    """Everything that differs, task by task in the order of the first run."""
    ids = dict.fromkeys([*first.tasks, *second.tasks])
    return [each for id in ids for each in _of_task(id, first.tasks.get(id), second.tasks.get(id))]


def _of_task(id: str, first: TaskRun | None, second: TaskRun | None) -> Iterator[RunDifference]:
    if first is None or second is None:
        only = first or second
        assert only is not None
        tool = only.task.tool
        yield RunDifference(id, "task", tool if first else None, tool if second else None)
        return
    pairs: tuple[tuple[Part, Json, Json], ...] = (
        ("tool", first.task.tool, second.task.tool),
        ("arguments", _arguments(first), _arguments(second)),
        ("status", first.status, second.status),
        ("output", first.output, second.output),
        ("error", first.error, second.error),
    )
    for part, one_side, other_side in pairs:
        if one_side != other_side:
            yield RunDifference(id, part, one_side, other_side)


def _arguments(run: TaskRun) -> Json:
    """What it was called with, or would be."""
    return dict(run.arguments) or dict(run.task.arguments)
