"""The calls of code as tasks of its run: under the same policy, approvals and redaction as any other."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import anyio

from recollect.app.code_functions import CodeFunctions
from recollect.app.run_journal import has_redaction
from recollect.errors import NotFoundError, RefusedError
from recollect.sandbox.bridge import CallAnswer, GuestException
from recollect.sandbox.guest import GuestCall
from recollect.workflow import events
from recollect.workflow.code_family import ancestors, children, descendants
from recollect.workflow.document import task_document
from recollect.workflow.references import literal
from recollect.workflow.run_state import RunState, TaskRun
from recollect.workflow.task import CodePlace, Task

DEEPEST = 3  # capabilities inside of each other
_ANSWERS: Mapping[events.FailureKind, GuestException] = {
    "refused": "PermissionError",
    "timeout": "TimeoutError",
    "arguments": "ValueError",
}


class TaskHost(Protocol):
    """The run that code belongs to; `happened` is set by the next event."""

    state: RunState
    happened: anyio.Event

    def record(self, event: events.RunEvent) -> int: ...


class CodeCalls:
    """The calls of the code of one task, as a `HostCalls`.

    Code that begins anew (`replays`) makes no call again that is recorded: the same call gets the same
    answer, and while a recorded write was not made again, no other write is.
    """

    def __init__(
        self,
        host: TaskHost,
        parent: str,
        functions: CodeFunctions,
        most: int,
        *,
        replays: bool,
        redacted: bool = False,
    ) -> None:
        self._host, self._parent, self._functions = host, parent, functions
        self._most = most  # calls of the code and of everything that it runs
        self._redacted = redacted  # what is recorded lacks secrets
        recorded = children(host.state, parent)
        self._number = len(recorded)
        answered = [run.task.id for run in recorded if _is_answer(host.state, run)]
        self._recorded = answered if replays else []

    def begin(self, call: GuestCall) -> str:
        function = self._functions.by_name.get(call.function)
        if function is None:
            raise NotFoundError(f"there is no tool for {call.function!r}.")
        tool, code, arguments = function.tool, "", call.arguments
        if capability := self._functions.capabilities.get(tool):
            code = capability.code
            changed = {name: value for name, value in arguments.items() if value is not None}
            arguments = {**capability.parameters, **changed}
        values = literal(arguments)
        assert isinstance(values, dict)
        task = Task("", tool, values, code=code, origin=CodePlace(self._parent, call.line))
        return self._replayed(task) or self._added(task)

    def _replayed(self, task: Task) -> str:
        tasks, tool = self._host.state.tasks, task.tool
        for id in self._recorded:
            recorded = tasks[id].task
            if (recorded.tool, recorded.arguments, recorded.code) == (tool, task.arguments, task.code):
                if tasks[id].has_expired:
                    raise RefusedError(
                        f"the result of {tool} is no longer stored; start the code again."
                    )
                if self._redacted and has_redaction(tasks[id].output):
                    raise RefusedError(f"the result of {tool} contained a secret, which is not stored.")
                self._recorded.remove(id)
                return id
        if any(_has_written(self._host.state, id) for id in self._recorded):
            raise RefusedError(
                "the code had already changed things when it was interrupted, and now takes a different "
                "path; start it again."
            )
        return ""

    def _added(self, task: Task) -> str:
        state = self._host.state
        above = ancestors(state, self._parent)
        if any(run.has_ended for run in above):
            raise RefusedError("the code that was waiting for this has ended.")
        family = descendants(state, above[-1].task.id)
        if len(family) >= self._most and any(run.task.code for run in family):
            raise RefusedError(f"the code and what it runs make more than {self._most} calls.")
        if task.code:
            _check_nesting(task, above)
        self._number += 1
        id = f"{self._parent}-{self._number}"
        while id in self._host.state.tasks:
            id = f"{id}_"
        added = task_document(replace(task, id=id))
        self._host.record(events.TasksAdded((added,), f"code of {self._parent}"))
        return id

    async def settled(self, names: Collection[str]) -> Mapping[str, CallAnswer]:
        while True:
            happened, state = self._host.happened, self._host.state
            ended = {name: _answer(state.tasks[name]) for name in names if state.tasks[name].has_ended}
            if ended or _waits_for_somebody(state, names):
                return ended
            await happened.wait()


_OVER = ("failed", "skipped", "cancelled")


def _is_answer(state: RunState, run: TaskRun) -> bool:
    """Whether a recorded call is not made again: it did not fail, or its code wrote before that."""
    return run.status not in _OVER or (bool(run.task.code) and _has_written(state, run.task.id))


def _check_nesting(task: Task, above: Sequence[TaskRun]) -> None:
    """Raises RefusedError for a capability that would run inside of itself, or too deep."""
    if any(run.task.code == task.code for run in above):
        way = " > ".join([*(run.task.tool for run in reversed(above)), task.tool])
        raise RefusedError(f"a capability cannot run inside itself: {way}.")
    if len(above) > DEEPEST:
        raise RefusedError(f"capabilities are nested deeper than {DEEPEST}.")


def _has_written(state: RunState, id: str) -> bool:
    runs = [state.tasks[id], *descendants(state, id)]
    return any(run.effect == "write" and run.attempts for run in runs)


def _waits_for_somebody(state: RunState, names: Collection[str]) -> bool:
    """Whether none of these calls goes on by itself."""
    goes_on = ("running",) if state.status == "paused" else ("running", "ready", "pending")
    runs = [state.tasks[name] for name in names]
    suspended = [run for run in runs if run.status == "pending" and run.awaits]
    return not any(run.status in goes_on for run in runs if run not in suspended) and all(
        _waits_for_somebody(state, run.awaits) for run in suspended
    )


def _answer(run: TaskRun) -> CallAnswer:
    if run.status == "succeeded":
        is_code = bool(run.task.code) and isinstance(run.output, dict)
        return CallAnswer(run.output.get("result") if is_code else run.output)  # type: ignore[union-attr]
    kind = _ANSWERS.get(run.failure, "RuntimeError") if run.failure else "RuntimeError"
    return CallAnswer(error=run.error or f"the call was {run.status}", exception=kind)
