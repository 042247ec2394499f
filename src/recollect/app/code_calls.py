"""The calls of code as tasks of its run: under the same policy, approvals and redaction as any other."""

from collections.abc import Collection, Mapping
from typing import Protocol

import anyio

from recollect.app.run_journal import has_redaction
from recollect.errors import NotFoundError, RefusedError
from recollect.records.json_format import JsonObject
from recollect.sandbox.bridge import CallAnswer, GuestException
from recollect.sandbox.guest import GuestCall
from recollect.workflow import events
from recollect.workflow.document import task_document
from recollect.workflow.references import literal
from recollect.workflow.run_state import RunState, TaskRun
from recollect.workflow.task import CodePlace, Task

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
        tools: Mapping[str, str],
        *,
        replays: bool,
        redacted: bool = False,
    ) -> None:
        self._host, self._parent, self._tools = host, parent, tools
        self._redacted = redacted  # what is recorded lacks secrets
        recorded = children(host.state, parent)
        self._number = len(recorded)
        self._recorded = [run.task.id for run in recorded if run.status not in _OVER] if replays else []

    def begin(self, call: GuestCall) -> str:
        tool = self._tools.get(call.function)
        if tool is None:
            raise NotFoundError(f"there is no tool for {call.function!r}.")
        arguments = literal(call.arguments)
        assert isinstance(arguments, dict)
        return self._replayed(tool, arguments) or self._added(tool, arguments, call.line)

    def _replayed(self, tool: str, arguments: JsonObject) -> str:
        tasks = self._host.state.tasks
        for id in self._recorded:
            if (tasks[id].task.tool, tasks[id].task.arguments) == (tool, arguments):
                if tasks[id].has_expired:
                    raise RefusedError(f"the result of {tool} is stored no more; start the code again.")
                if self._redacted and has_redaction(tasks[id].output):
                    raise RefusedError(f"the result of {tool} had a secret, which is not stored.")
                self._recorded.remove(id)
                return id
        if any(tasks[id].effect == "write" and tasks[id].attempts for id in self._recorded):
            raise RefusedError(
                "the code takes another way than before it was interrupted, after it had changed things; "
                "start it again."
            )
        return ""

    def _added(self, tool: str, arguments: JsonObject, line: int) -> str:
        self._number += 1
        id = f"{self._parent}-{self._number}"
        while id in self._host.state.tasks:
            id = f"{id}_"
        task = Task(id, tool, arguments, origin=CodePlace(self._parent, line))
        self._host.record(events.TasksAdded((task_document(task),), f"code of {self._parent}"))
        return id

    async def settled(self, names: Collection[str]) -> Mapping[str, CallAnswer]:
        while True:
            happened, state = self._host.happened, self._host.state
            ended = {name: _answer(state.tasks[name]) for name in names if state.tasks[name].has_ended}
            if ended or _waits_for_somebody(state, names):
                return ended
            await happened.wait()


_OVER = ("failed", "skipped", "cancelled")


def children(state: RunState, parent: str) -> list[TaskRun]:
    """The calls that the code of a task made, in order."""
    return [run for run in state.tasks.values() if run.task.origin and run.task.origin.parent == parent]


def _waits_for_somebody(state: RunState, names: Collection[str]) -> bool:
    """Whether none of these calls goes on by itself."""
    goes_on = ("running",) if state.status == "paused" else ("running", "ready", "pending")
    return not any(state.tasks[name].status in goes_on for name in names)


def _answer(run: TaskRun) -> CallAnswer:
    if run.status == "succeeded":
        return CallAnswer(run.output)
    kind = _ANSWERS.get(run.failure, "RuntimeError") if run.failure else "RuntimeError"
    return CallAnswer(error=run.error or f"the call was {run.status}", exception=kind)
