"""Tasks that run code: the sandbox on one side, the run on the other."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from anyio import to_thread

from recollect.app.code_calls import CodeCalls, TaskHost
from recollect.app.code_functions import CodeFunctions
from recollect.app.run_journal import has_redaction
from recollect.errors import RecollectError, RefusedError
from recollect.records.json_format import Json, JsonObject
from recollect.records.redaction_port import RedactionGate
from recollect.sandbox.guest import Guest, GuestFailed, GuestFinished, GuestOutcome, GuestSuspended
from recollect.sandbox.limits import GuestBudget
from recollect.sandbox.runner import Sandbox
from recollect.sandbox.sealing import LARGEST_STATE, sealed, unsealed
from recollect.sandbox.stubs import stubs_of
from recollect.workflow.calling import CallResult, PreparedCall, TaskCalls, TaskOutput, TaskWait
from recollect.workflow.code_family import ancestors, children
from recollect.workflow.events import CallEffect
from recollect.workflow.task import Task


@dataclass(frozen=True, slots=True)
class CodeRoom:
    """What every piece of code needs: where it runs, which tools it can call, and how it is stored."""

    sandbox: Sandbox
    functions: Callable[[str], Awaitable[CodeFunctions]]
    key: Callable[[], bytes]
    gate: RedactionGate


class CodeTasks:
    """The calls of a run that may also run code. `host` is the run, known once it is there."""

    def __init__(self, tools: TaskCalls, room: CodeRoom, run: str, *, redacted: bool = False) -> None:
        self._tools, self._room, self._run, self._redacted = tools, room, run, redacted
        self.host: TaskHost | None = None
        self._budgets: dict[str, GuestBudget] = {}

    async def prepare(self, task: Task) -> PreparedCall:
        if not task.code:
            return await self._tools.prepare(task)
        if self._redacted and has_redaction(task.code):
            raise RefusedError("the code contained a secret, which is not stored; start it again.")
        assert self.host is not None
        functions = await self._room.functions(task.code)
        above = ancestors(self.host.state, task.id)
        budget = self._budgets.setdefault(above[-1].task.id, GuestBudget())
        room = replace(self._room, sandbox=self._room.sandbox.inner(len(above) - 1))
        return CodeTask(task, room, self.host, functions, self._run, self._redacted, budget)


@dataclass(frozen=True, slots=True)
class CodeTask:
    """Code that a task runs. Repeating it repeats none of its calls, so nobody is asked about it."""

    task: Task
    room: CodeRoom
    host: TaskHost
    functions: CodeFunctions
    run: str
    redacted: bool
    budget: GuestBudget
    effect: CallEffect = "repeatable"
    asks: str = ""

    def problems(self, arguments: Mapping[str, Json]) -> Sequence[str]:
        taken = sorted(arguments.keys() & self.functions.by_name.keys())
        return [f"{name!r} is the function of a tool" for name in taken]

    async def call(self, arguments: JsonObject) -> CallResult:
        outcome = await self._outcome(arguments)
        match outcome:
            case GuestFinished(value, printed):
                return TaskOutput({"result": value, "printed": printed})
            case GuestFailed(reason, error, _, printed):
                hint = self.functions.hint(error) if reason == "types" else ""
                shown = f"\nPrinted before:\n{printed}" if printed else ""
                return TaskOutput(None, f"{_HEADS[reason]}:\n{error}{hint}{shown}")
            case GuestSuspended():
                state = await to_thread.run_sync(self._stored, outcome, arguments)
                return TaskWait(tuple(outcome.waiting.values()), state)

    async def _outcome(self, arguments: JsonObject) -> GuestOutcome:
        """Run the code, or go on with it where it was suspended."""
        functions, most = self.functions, self.room.sandbox.limits.calls
        guest = Guest(self.task.code, arguments, frozenset(functions.by_name), self._stubs(arguments))
        id, state = self.task.id, self.host.state
        if not (stored := state.tasks[id].suspended):
            calls = CodeCalls(self.host, id, functions, most, replays=True, redacted=self.redacted)
            return await self.room.sandbox.run(guest, calls, self.budget)
        suspended = unsealed(stored, await to_thread.run_sync(self.room.key), self._place(arguments))
        calls = CodeCalls(self.host, id, functions, most, replays=False)
        return await self.room.sandbox.resume(guest, suspended, calls, len(children(state, id)))

    def _stubs(self, arguments: Mapping[str, Json]) -> str:
        variables = "".join(f"{name}: Any\n" for name in arguments)
        return stubs_of(list(self.functions.by_name.values())) + variables

    def _stored(self, guest: GuestSuspended, arguments: JsonObject) -> str:
        """The guest as the journal stores it; empty if it is large or has seen a secret: then it replays."""
        seen: list[Json] = [run.output for run in children(self.host.state, self.task.id)]
        if len(guest.state) > LARGEST_STATE:
            return ""
        try:
            _, findings = self.room.gate([self.task.code, dict(arguments), guest.printed, *seen])
            return "" if findings else sealed(guest, self.room.key(), self._place(arguments))
        except RecollectError:
            return ""  # without the key or the gate nothing is stored

    def _place(self, arguments: JsonObject) -> tuple[str, ...]:
        """Whose state this is: of this run, task, code and variables, and of no other."""
        return (self.run, self.task.id, self.task.code, repr(sorted(arguments.items())))


_HEADS = {
    "syntax": "the code cannot be read, and nothing was called",
    "types": "the code does not match the schemas of its tools, and nothing was called",
    "error": "the code failed",
    "limit": "the code exceeded a limit",
    "crash": "the code could not continue",
}
