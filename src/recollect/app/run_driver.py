"""Driving one run: starts what may start, records what happens, and applies commands.

The pure steps in `workflow/` decide; this calls. Everything that changes the state happens in one event loop
without an await in between, so that no event is lost or taken twice.
"""

import time

import anyio
import anyio.lowlevel
from anyio.abc import TaskGroup

from recollect.app.command_outcomes import CommandOutcomes
from recollect.app.run_journal import RunJournal, has_redaction
from recollect.errors import NotFoundError, RecollectError, RefusedError, StoreError, UpstreamError
from recollect.records.json_format import JsonObject
from recollect.workflow import events
from recollect.workflow.calling import (
    ApprovalQuestion,
    Approvals,
    CallResult,
    Consent,
    NoConsent,
    PreparedCall,
    TaskCalls,
    TaskOutput,
    TaskWait,
)
from recollect.workflow.commands import Command, effects
from recollect.workflow.grants import call_digest
from recollect.workflow.reducer import INTERRUPTED, reduce
from recollect.workflow.references import resolved
from recollect.workflow.run_state import RunState, TaskRun, reader
from recollect.workflow.steps import consequences, settled, startable
from recollect.workflow.task import MOST_ITEMS, Task

WRITE_GRACE = 5.0  # seconds that a write may still take when its run is ended
_LONGEST_WAIT = 300.0  # seconds before another try


class RunDriver:
    """One run, live in this process. `redacted`: its journal lacks secrets that were in it."""

    def __init__(
        self,
        run: str,
        state: RunState,
        journal: RunJournal,
        calls: TaskCalls,
        approvals: Approvals,
        *,
        redacted: bool = False,
    ) -> None:
        self.run, self.state = run, state
        self._journal, self._calls, self._approvals = journal, calls, approvals
        self._redacted = redacted
        self._starting: dict[str, None] = {}
        self._open: dict[str, anyio.CancelScope] = {}
        self._ending = ""  # why open calls are ended, if they are
        self._waiting = 0  # tasks that wait for another try, or for a person
        self._commands: list[Command] = []
        self._news = anyio.Event()
        self._resting = anyio.Event()
        self._is_stopped = False
        self.happened = anyio.Event()  # set by the next event, then another takes its place
        self._outcomes = CommandOutcomes()

    @property
    def number(self) -> int:
        """The number of the newest event."""
        return self._journal.number

    @property
    def written(self) -> anyio.Event:
        """Set when the journal has more events."""
        return self._journal.progress

    def record(self, event: events.RunEvent) -> int:
        """Let an event happen, and what follows from it."""
        self.state = reduce(self.state, event)
        number = self._journal.add(event, self.state.status)
        self._tell(event)
        for following in consequences(self.state, event):
            self.record(following)
        self._news.set()
        return number

    async def begin(self, event: events.RunStarted | events.RunResumed) -> None:
        """Record how this process came to the run. Raises StoreError when a new one cannot be written."""
        if isinstance(event, events.RunResumed):
            self.record(event)
            return
        await self._journal.begin(event, self.state.workflow.intent)
        for following in consequences(self.state, event):
            self.record(following)

    def _tell(self, event: events.RunEvent) -> None:
        """Wake those who watch, and those who wait for a command."""
        happened, self.happened = self.happened, anyio.Event()
        happened.set()
        self._outcomes.settle(event)

    async def outcome(self, command: Command) -> str:
        """Apply a command; why it was refused, or empty."""
        if self.state.has_ended or self._is_stopped:
            return f"the run is over ({self.state.status})"
        self._outcomes.expect(command.id)
        self.send(command)
        return await self._outcomes.wait(command.id)

    def send(self, command: Command) -> None:
        """Apply a command soon; the journal says what became of it."""
        self._commands.append(command)
        self._news.set()

    async def drive(self) -> None:
        """Run to the end, or until `stop`. Raises StoreError when the journal cannot be written."""
        async with anyio.create_task_group() as writing:
            writing.start_soon(self._journal.write, self._fail)
            async with anyio.create_task_group() as calls:
                await self._loop(calls)
                calls.cancel_scope.cancel()
            self._journal.close()
        self._outcomes.give_up(command.id for command in self._commands)
        self._resting.set()
        if self._journal.failure is not None:
            raise self._journal.failure

    async def _loop(self, calls: TaskGroup) -> None:
        while not self._is_stopped:
            self._news = anyio.Event()
            if self._step(calls):
                continue
            if self.state.has_ended:
                return
            if self.is_resting:
                self._resting.set()
            await self._news.wait()

    @property
    def is_resting(self) -> bool:
        """Whether nothing happens until somebody says something."""
        is_idle = not self._starting and not self._open and not self._commands
        return self.state.has_ended or (self.state.status == "paused" and is_idle)

    async def rest(self) -> None:
        """Return when the run has ended or waits for somebody, and that can be read in the journal."""
        while not self.is_resting and not self._is_stopped:
            self._resting = anyio.Event()
            await self._resting.wait()
        await self._journal.written(self._journal.number)

    async def stop(self) -> None:
        """End open calls and pause: what only reads is cancelled, a write is awaited a little."""
        if self.state.has_ended or self._is_stopped:
            return
        await self._end_calls("stopped")
        if self.state.status == "running":
            self.record(events.RunPaused("stopped"))
        self._is_stopped = True
        self._news.set()
        self._resting.set()

    def _fail(self) -> None:
        """The journal cannot be written: nothing may be called that it does not know of."""
        self._is_stopped = True
        for scope in self._open.values():
            scope.cancel()
        self._news.set()
        self._resting.set()

    def _step(self, calls: TaskGroup) -> bool:
        """Do what can be done now; whether that changed something."""
        if self._commands:
            self._apply(self._commands.pop(0), calls)
            return True
        for id in [] if self._ending else list(startable(self.state, self._starting)):
            self._starting[id] = None
            calls.start_soon(self._perform, id, calls)
        if self._starting or self._open or (self._waiting and not self.state.aborting):
            return False
        event = settled(self.state)
        if event is not None:
            self.record(event)
        return event is not None

    def _apply(self, command: Command, calls: TaskGroup) -> None:
        document: JsonObject = {"name": command.name, "arguments": command.arguments}
        try:
            for event in effects(self.state, command):
                self.record(event)
        except RecollectError as error:
            self.record(events.CommandRefused(command.id, document, command.author, str(error)))
            return
        self.record(events.CommandApplied(command.id, document, command.author))
        if self.state.aborting:
            calls.start_soon(self._end_calls, "aborted")

    async def _end_calls(self, reason: str) -> None:
        self._ending = reason
        for id, scope in list(self._open.items()):
            if self.state.tasks[id].effect == "write":
                scope.deadline = min(scope.deadline, anyio.current_time() + WRITE_GRACE)
            else:
                scope.cancel()
        while self._open or self._starting:
            await self._news.wait()
            await anyio.lowlevel.checkpoint()

    async def _perform(self, id: str, calls: TaskGroup) -> None:
        try:
            wait = await self._attempt(id)
            if wait is not None:
                self._waiting += 1
                calls.start_soon(self._try_again, id, wait)
        except StoreError:  # the journal has failed; `drive` raises it
            pass
        finally:
            self._starting.pop(id, None)
            self._news.set()

    async def _attempt(self, id: str) -> float | None:
        """One try of a task: its arguments, its approval, its call. The seconds before the next, if any."""
        task = self.state.tasks[id].task
        if task.for_each is not None:
            self._expand(task)
            return None
        try:
            prepared = await self._calls.prepare(task)
            arguments = self._arguments(task, prepared)
        except UpstreamError as error:
            return self._failed(task, str(error), "server") if self._may_start(id) else None
        except (NotFoundError, RefusedError) as error:
            if self._may_start(id):
                self.record(events.TaskFailed(id, str(error), "arguments"))
            return None
        if not self._may_start(id) or self._lacks_secret(id, arguments):
            return None
        run = self.state.tasks[id]
        if (task.approval == "always" or prepared.asks) and not run.approved:
            await self._ask(run, prepared, arguments)
            return None
        return await self._call(run, prepared, arguments)

    def _may_start(self, id: str) -> bool:
        """Whether a task that was about to start still may: the run may have been paused meanwhile."""
        return (
            self.state.status == "running"
            and not self._ending
            and self.state.tasks[id].status == "ready"
        )

    def _expand(self, task: Task) -> None:
        assert task.for_each is not None
        try:
            items = resolved(task.for_each.items, reader(self.state, task))
        except NotFoundError as error:
            self.record(events.TaskFailed(task.id, str(error), "arguments"))
            return
        if not isinstance(items, list):
            self.record(
                events.TaskFailed(task.id, f"for_each must be a list, not {items!r:.80}", "items")
            )
        elif len(items) > MOST_ITEMS:
            error_text = f"the list has {len(items):,} items; at most {MOST_ITEMS:,} are allowed"
            self.record(events.TaskFailed(task.id, error_text, "items"))
        else:
            is_stored = any(self.state.tasks[id].stored_as for id in task.inputs())
            self.record(events.TaskExpanded(task.id, len(items), items if is_stored else None))

    def _arguments(self, task: Task, prepared: PreparedCall) -> JsonObject:
        arguments = resolved(dict(task.arguments), reader(self.state, task))
        assert isinstance(arguments, dict)
        if problems := prepared.problems(arguments):
            raise RefusedError(f"wrong arguments for {task.tool}: {'; '.join(problems)}.")
        return arguments

    def _lacks_secret(self, id: str, arguments: JsonObject) -> bool:
        """Whether arguments come from the journal, which has no secrets: then they are asked for again."""
        if not self._redacted or not has_redaction(arguments):
            return False
        self.record(events.RunPaused("missing_value", (id,)))
        return True

    async def _ask(self, run: TaskRun, prepared: PreparedCall, arguments: JsonObject) -> None:
        """A call waits for a person; other branches go on."""
        task = run.task
        approval = call_digest(self.run, self.number, task.id, task.tool, arguments)
        consent: Consent | NoConsent = NoConsent()
        if task.approval != "always":
            consent = await self._approvals.consent(task.tool, prepared.effect, arguments)
        if not self._may_start(task.id):
            return
        rule = prepared.asks or "the workflow requires a person to approve this task"
        if isinstance(consent, NoConsent):
            rule = "; ".join([rule, *consent.refusals])
        self.record(events.ApprovalRequested(task.id, approval, arguments, rule))
        if isinstance(consent, Consent):
            decided = events.ApprovalDecided(task.id, approval, True, consent.by, consent.grant)
            self.record(decided)
            return
        self._starting.pop(task.id, None)  # a person takes their time; the limit is for calls
        self._waiting += 1
        try:
            question = ApprovalQuestion(task.id, approval, task.tool, arguments, rule)
            answer = await self._approvals.answer(question, self.state)
        finally:
            self._waiting -= 1
        if answer is not None and self.state.tasks[task.id].approval == approval:
            decided = events.ApprovalDecided(task.id, approval, answer, "person, asked by the client")
            self.record(decided)

    async def _call(self, run: TaskRun, prepared: PreparedCall, arguments: JsonObject) -> float | None:
        task, effect, id = run.task, prepared.effect, run.task.id
        if run.approved and run.arguments != arguments:  # what it refers to has changed since
            self.record(events.TaskReset(id, "the arguments differ from those that were approved"))
            return None
        number = self.record(events.TaskStarted(id, run.attempts + 1, effect, arguments))
        scope = self._open[id] = anyio.CancelScope()
        self._starting.pop(id, None)
        try:
            if effect == "write":
                await self._journal.synced(number)
            started = time.monotonic()
            scope.deadline = anyio.current_time() + (task.timeout or float("inf"))
            outcome = await self._outcome(prepared, arguments, scope)
            spent = round((time.monotonic() - started) * 1_000, 3)
        finally:
            del self._open[id]
        return None if self._is_stopped else self._conclude(task, effect, outcome, spent)

    async def _outcome(
        self, prepared: PreparedCall, arguments: JsonObject, scope: anyio.CancelScope
    ) -> "CallResult | RecollectError | None":
        """What came back, or the error that did; None when the call was ended from here."""
        with scope:
            try:
                return await prepared.call(arguments)
            except RecollectError as error:
                return error
        return None

    def _conclude(
        self,
        task: Task,
        effect: events.CallEffect,
        outcome: "CallResult | RecollectError | None",
        spent: float,
    ) -> float | None:
        """Record how a call ended. The seconds before the next try, if there is one."""
        id = task.id
        match outcome:
            case TaskOutput(value, "", handle, source, stored_as):
                self.record(events.TaskSucceeded(id, value, spent, source, handle, stored_as))
            case TaskWait(tasks, state):
                self.record(events.TaskSuspended(id, tasks, state))
            case TaskOutput(_, error):
                return self._failed(task, error, "tool", spent)
            case RefusedError() | NotFoundError():
                self.record(events.TaskFailed(id, str(outcome), "refused", spent))
            case RecollectError() if effect == "write":
                self.record(events.TaskInDoubt(id, str(outcome)))
            case RecollectError():
                return self._failed(task, str(outcome), "server", spent)
            case None if effect == "write":
                reason = f"no answer before the call was {self._ending or 'timed out'}"
                self.record(events.TaskInDoubt(id, reason))
            case None if self._ending == "stopped":
                self.record(events.TaskReset(id, INTERRUPTED))
            case None if self._ending:
                self.record(events.TaskCancelled(id, self._ending))
            case None:
                return self._failed(task, f"no answer within {task.timeout} s", "timeout", spent)
        return None

    def _failed(
        self, task: Task, error: str, kind: events.FailureKind, spent: float = 0.0
    ) -> float | None:
        """A definite failure. The seconds before the next try, if the task says that there is one."""
        run = self.state.tasks[task.id]
        attempts = run.attempts + (not run.is_calling)  # the server could not be reached: a try, too
        if attempts >= task.retry.attempts or self._ending:
            self.record(events.TaskFailed(task.id, error, kind, spent))
            return None
        wait = min(task.retry.wait * 2.0 ** (attempts - 1), _LONGEST_WAIT)
        self.record(events.TaskRetried(task.id, error, wait))
        return wait

    async def _try_again(self, id: str, wait: float) -> None:
        try:
            await anyio.sleep(wait)
        finally:
            self._waiting -= 1
        if self.state.tasks[id].status == "pending" and not self._ending:
            self.record(events.TaskReady(id))
        self._news.set()
