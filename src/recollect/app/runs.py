"""The runs of one `serve`: started, gone on with, told what to do, and stopped with it."""

import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import anyio
from anyio import to_thread
from anyio.abc import TaskGroup

from recollect.app.capabilities import capability_outcomes, with_capabilities
from recollect.app.capability_search import CapabilitySearch
from recollect.app.code_functions import code_functions
from recollect.app.code_tasks import CodeRoom, CodeTasks
from recollect.app.dispatch import Dispatcher
from recollect.app.episodes import EpisodeSearch
from recollect.app.planner import Wish
from recollect.app.rehearsal import NobodyApproves, RehearsedCalls, recordings
from recollect.app.run_approvals import RunApprovals
from recollect.app.run_calls import RunCaller, UpstreamCalls
from recollect.app.run_commands import CommandResult, RunCommands
from recollect.app.run_driver import RunDriver
from recollect.app.run_events import run_events
from recollect.app.run_journal import RunJournal
from recollect.app.run_store import RunStore, new_run_id
from recollect.errors import LockedError, RefusedError, StoreError, first_cause
from recollect.learning.capability_scorings import request_candidates
from recollect.learning.capability_search import CapabilityHit, fitting
from recollect.learning.episodes import EarlierEpisode
from recollect.learning.weights import CAPABILITY_FITS
from recollect.records.json_format import Json
from recollect.sandbox.runner import Sandbox
from recollect.tools.caller import Caller
from recollect.workflow import events
from recollect.workflow.approval_summary import approval_summary
from recollect.workflow.calling import ApprovalQuestion, Approvals, TaskCalls
from recollect.workflow.commands import Command, CommandName
from recollect.workflow.document import InvalidWorkflowError, workflow_document, workflow_of
from recollect.workflow.grants import Grant
from recollect.workflow.plan import Plan
from recollect.workflow.planning import plan
from recollect.workflow.ports import RunRecord
from recollect.workflow.reducer import reduced, started
from recollect.workflow.run_state import RunState
from recollect.workflow.task import Workflow
from recollect.workflow.validation import problems

_TRACED_CAPABILITIES = 5  # of those that a request is compared with


@dataclass(slots=True)
class LiveRun:
    """A run that this process has the lease of."""

    driver: RunDriver
    caller: RunCaller
    ended: anyio.Event = field(default_factory=anyio.Event)
    failure: BaseException | None = None

    @property
    def run(self) -> str:
        return self.driver.run

    @property
    def state(self) -> RunState:
        return self.driver.state


class Runs:
    """Every run that this process drives. `tasks` is the scope of the server."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        store: RunStore,
        tasks: TaskGroup,
        *,
        asks_person: bool,
        reads_agreed: bool = False,
    ) -> None:
        self._dispatcher, self._store, self._tasks = dispatcher, store, tasks
        self._asks_person, self._reads_agreed = asks_person, reads_agreed
        self._live: dict[str, LiveRun] = {}
        self._commands = RunCommands(dispatcher, store)
        self._sandbox = Sandbox()
        self._capabilities = CapabilitySearch(store.capabilities)
        self._episodes = EpisodeSearch(store.episodes)
        self._room = CodeRoom(
            self._sandbox,
            partial(code_functions, dispatcher, store.capabilities),
            store.code_key,
            store.gate,
        )

    async def start(
        self,
        document: Json,
        client: str = "",
        *,
        rehearsal: bool = False,
        session: str | None = None,
    ) -> LiveRun:
        """Begin a run; a rehearsal calls nothing. `session` is that of the client, whose reads may be ahead.

        Raises InvalidWorkflowError with everything that is wrong, and StoreError.
        """
        await self._learned()
        capabilities = self._store.capabilities
        workflow = workflow_of(await to_thread.run_sync(with_capabilities, document, capabilities))
        await self._check(workflow)
        run = new_run_id()
        first = events.RunStarted(workflow_document(workflow), rehearsal)
        caller = RunCaller(run, client, session)
        return await self._open(caller, first, started(first), 0, redacted=False)

    async def look(self, run: str) -> RunState:
        """The state of any run. Raises NotFoundError."""
        if run in self._live:
            return self._live[run].state
        return await to_thread.run_sync(self._store.state, run)

    async def resume(self, run: str, client: str = "") -> LiveRun:
        """Go on with a run of the journal. Raises NotFoundError, LockedError and RefusedError."""
        if run in self._live:
            return self._live[run]
        run = (await self.record(run)).id
        entries = await to_thread.run_sync(self._store.entries, run)
        state = reduced([entry.event for entry in entries])
        if state.has_ended:
            raise RefusedError(f"the run {run!r} has ended ({state.status}).")
        was_redacted = any(entry.redacted for entry in entries)
        caller = RunCaller(run, client)
        return await self._open(caller, events.RunResumed(), state, len(entries), redacted=was_redacted)

    def follow(self, run: str, after: int = 0) -> AsyncIterator[events.JournalEntry]:
        """The events of any run above a number, as they come, until it has finished."""

        def written() -> anyio.Event | None:
            return self._live[run].driver.written if run in self._live else None

        return run_events(self._store.journal, run, after, written)

    async def wait(self, live: LiveRun, seconds: float, caller: Caller) -> RunState:
        """The state once the run has ended, waits for somebody, or the time is over.

        Meanwhile the client hears of progress, and can be asked. Raises StoreError when the run stopped
        because its journal cannot be written.
        """
        async with self._present(live, caller):
            with anyio.move_on_after(seconds):
                await live.driver.rest()
        if live.failure is not None:
            raise live.failure
        return live.state

    async def command(
        self, run: str, name: CommandName, arguments: Mapping[str, Any], door: str
    ) -> None:
        """Apply an agent's command to a run. Raises RefusedError that says why not."""
        result = await self.tell(
            run, Command(secrets.token_hex(8), name, dict(arguments), "agent", door)
        )
        if result.status == "refused":
            raise RefusedError(result.reason)

    async def tell(self, run: str, command: Command) -> CommandResult:
        """Apply a command here, or leave it to the process that has the run.

        Raises NotFoundError and StoreError, and RefusedError for a run that has ended.
        """
        run = (await self.record(run)).id
        try:
            live = await self.resume(run)
        except LockedError:
            entries = self.follow(run, (await self.record(run)).events)
            return await self._commands.leave(run, command, entries)
        return await self._commands.apply(live.driver, command)

    async def record(self, run: str) -> RunRecord:
        """A run as lists show it, by its id or the beginning of it. Raises NotFoundError."""
        return await to_thread.run_sync(self._store.record, run)

    async def records(self, limit: int) -> Sequence[RunRecord]:
        """The runs of the project that changed last, newest first."""
        return await to_thread.run_sync(self._store.journal.runs, limit)

    async def grant(
        self, tool: str, arguments: Mapping[str, str], uses: int, minutes: float, by: str
    ) -> Grant:
        """A person approves calls beforehand. Raises RefusedError for a grant without bounds."""
        return await to_thread.run_sync(self._store.grant, tool, arguments, uses, minutes, by)

    async def approvals(self, run: str) -> Sequence[tuple[ApprovalQuestion, str]]:
        """The calls that wait for a person, each with the summary for them. Raises NotFoundError."""
        state, questions = await to_thread.run_sync(self._store.questions, run)
        tools = {tool.id: tool for tool in await self._dispatcher.tools()}
        return [
            (question, approval_summary(state, question, tools.get(question.tool)))
            for question in questions
        ]

    async def capabilities(self, text: str, session: str | None = None) -> Sequence[CapabilityHit]:
        """The capabilities that fit a request, with what runs that just ended taught. Raises StoreError."""
        await self._learned()
        tools = await self._dispatcher.tool_search()
        hits = await to_thread.run_sync(self._capabilities.find, text, tools)
        scored = request_candidates(hits[:_TRACED_CAPABILITIES])
        self._dispatcher.traces.suggested(session or "", text, scored, float(CAPABILITY_FITS))
        return fitting(hits)

    async def plan(self, wish: Wish) -> Plan:
        """A workflow for a request, with its reasons and what it still needs."""
        return await to_thread.run_sync(plan, await self._dispatcher.plan_request(wish))

    async def earlier(self, intent: str) -> EarlierEpisode | None:
        """How this request, or a similar one, went last time; None where that cannot be read."""
        await self._learned()
        tools = await self._dispatcher.tool_search()
        with suppress(StoreError):
            return await to_thread.run_sync(self._episodes.find, intent, tools)
        return None

    async def stop(self) -> None:
        """Pause every run and end its calls: reads at once, writes after a little while."""
        async with anyio.create_task_group() as stopping:
            for live in list(self._live.values()):
                stopping.start_soon(live.driver.stop)
        for live in list(self._live.values()):
            await live.ended.wait()
        await to_thread.run_sync(self._sandbox.close)

    async def _learned(self) -> None:
        """Wait until what runs that have ended teach is stored."""
        for live in list(self._live.values()):
            if live.state.has_ended:
                await live.ended.wait()

    async def _check(self, workflow: Workflow) -> None:
        """Raises InvalidWorkflowError when the workflow cannot run."""
        tools = {tool.id: tool for tool in await self._dispatcher.tools()}
        used = [tools[id] for id in {task.tool for task in workflow.tasks} if id in tools]
        outputs = await self._dispatcher.outputs(used)
        if wrong := problems(workflow.tasks, tools, outputs, workflow.context):
            raise InvalidWorkflowError(wrong)

    async def _open(
        self,
        caller: RunCaller,
        first: events.RunStarted | events.RunResumed,
        state: RunState,
        number: int,
        *,
        redacted: bool,
    ) -> LiveRun:
        run = caller.run
        journal = RunJournal(self._store.journal, run, self._store.gate, self._store.clock, number)
        calls = CodeTasks(await self._calls(caller, state), self._room, run, redacted=redacted)
        driver = RunDriver(
            run, state, journal, calls, self._approvals(caller, state), redacted=redacted
        )
        calls.host = driver
        live = LiveRun(driver, caller)
        await self._tasks.start(self._run, live, first)
        return live

    async def _calls(self, caller: RunCaller, state: RunState) -> TaskCalls:
        if not state.rehearsal:
            return UpstreamCalls(self._dispatcher, caller)
        recorded = await to_thread.run_sync(recordings, self._store)
        return RehearsedCalls(self._dispatcher, recorded)

    def _approvals(self, caller: RunCaller, state: RunState) -> Approvals:
        if state.rehearsal:
            return NobodyApproves()
        return RunApprovals(
            self._store,
            caller,
            self._dispatcher,
            asks_person=self._asks_person,
            reads_agreed=self._reads_agreed,
        )

    async def _run(
        self,
        live: LiveRun,
        first: events.RunStarted | events.RunResumed,
        *,
        task_status: anyio.abc.TaskStatus[None],
    ) -> None:
        """Hold the lease of a run and drive it."""
        run = live.driver.run
        with self._store.journal.lease(run):
            await live.driver.begin(first)
            self._live[run] = live
            try:
                passed_on = await self._commands.pass_on(live.driver, set())
                task_status.started()
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(self._commands.listen, live.driver, passed_on)
                    await live.driver.drive()
                    tasks.cancel_scope.cancel()
                await self._settle(live)
            except* StoreError as group:
                live.failure = first_cause(group)
            finally:
                del self._live[run]
                live.ended.set()

    async def _settle(self, live: LiveRun) -> None:
        """Draft what a run that ended teaches, and delete runs past their time. An error costs no run."""
        if not live.state.has_ended:
            return
        with suppress(StoreError):
            if not live.state.rehearsal:
                self._count_capabilities(live)
                tools = (await self._dispatcher.tool_search()).by_id
                await to_thread.run_sync(self._store.learn, live.state, tools)
                await to_thread.run_sync(self._store.draft_runbook, live.run)
            await to_thread.run_sync(self._store.prune)

    def _count_capabilities(self, live: LiveRun) -> None:
        """The client of a run used the capabilities that its tasks and its code called."""
        if (session := live.caller.client_session) is not None:
            for name, succeeded in capability_outcomes(live.state):
                self._dispatcher.suggestions.ran(session, name, succeeded=succeeded)

    @asynccontextmanager
    async def _present(self, live: LiveRun, caller: Caller) -> AsyncIterator[None]:
        """The client is there: it hears of progress and can be asked."""
        live.caller.current = caller
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_report, live, caller)
                yield
                tasks.cancel_scope.cancel()
        finally:
            if live.caller.current is caller:
                live.caller.current = None


async def _report(live: LiveRun, caller: Caller) -> None:
    """Tell a client how far a run is, as often as it listens and no oftener."""
    reported = -1
    while True:
        happened = live.driver.happened
        ended = sum(run.has_ended for run in live.state.tasks.values())
        if ended > reported:
            reported = ended
            running = ", ".join(live.state.having("running")[:3])
            await caller.report(ended, len(live.state.tasks), running or live.state.status)
        await happened.wait()
