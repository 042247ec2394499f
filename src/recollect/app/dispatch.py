"""Calling upstream tools for the clients of one `serve`: which tool, with what, and what comes back.

A call: find the tool, check its arguments against the schema, call its server over a connection that is
opened by the first call, store a result that is too large, and write the receipt. Databases and search are
synchronous: they take turns in a thread.
"""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import anyio
import mcp_types as types
from anyio import to_thread
from anyio.abc import TaskGroup
from mcp import Client

from recollect.app.call_knowledge import CallKnowledge
from recollect.app.call_log import CallLog, Delivery
from recollect.app.call_targets import CallTarget, CallTargets
from recollect.app.gateway import Gateway
from recollect.app.next_calls import NextCalls
from recollect.app.observing import outcome_of
from recollect.app.offers import Offers, offers_of
from recollect.app.planner import Wish, output_schemas, plan_request, related
from recollect.app.server_listings import LIST_CHANGES, ServerListings
from recollect.app.speculator import Speculator, UpstreamAnswer
from recollect.app.suggestions import Suggestions
from recollect.app.tool_approval import permit
from recollect.app.tool_search import ToolSearch
from recollect.app.tool_traces import ToolTraces
from recollect.app.upstream_start import resolved_upstream
from recollect.errors import ModelError, NotPermittedError, RefusedError, UpstreamError
from recollect.gateway.arguments import argument_problems, example
from recollect.gateway.discovery import Discovery
from recollect.gateway.exposure import Exposure
from recollect.gateway.observed_schema import json_schema
from recollect.gateway.policy import only_reads
from recollect.gateway.receipts import Outcome
from recollect.gateway.speculation_use import SpeculationUse
from recollect.gateway.tool import UpstreamTool
from recollect.gateway.upstream import Upstream
from recollect.gateway.vault.reading import ReadRequest
from recollect.learning.capabilities import Capability, stale_tools
from recollect.storage.private import make_folder
from recollect.tools.caller import Caller
from recollect.upstreams.address_circuits import AddressCircuits
from recollect.upstreams.client_roots import roots_of
from recollect.upstreams.connection import ClientSide, UpstreamConnection
from recollect.upstreams.lease import Workplace, leased
from recollect.upstreams.pool import ConnectionPool, Line
from recollect.workflow.plan_request import PlanRequest
from recollect.workflow.schema_fields import Schema

_BATCH_SECONDS = 0.2  # that records of calls wait for more of them
_T = TypeVar("_T")


class Dispatcher:
    """The gateway of one project folder while a server of ours runs."""

    def __init__(self, gateway: Gateway, folder: Path, exposure: Exposure, tasks: TaskGroup) -> None:
        self._gateway, self._folder, self._exposure, self._tasks = gateway, folder, exposure, tasks
        self._pool = ConnectionPool(self._open, self._changed, tasks)
        self._listings = ServerListings(gateway, exposure, self._open, self._work, self._embed, tasks)
        self._circuits = AddressCircuits()
        self._targets = CallTargets(gateway, folder, exposure.sees)
        self._log = CallLog(gateway, folder)
        self._turn, self._embedding = anyio.Lock(fast_acquire=True), anyio.Lock()
        self._speculator = Speculator(self._send_ahead, tasks, self._note_ahead)
        knowledge = CallKnowledge(gateway, exposure, self._pool, self._log, self._work, self.target)
        self.next_calls = NextCalls(
            *(knowledge, self._speculator, tasks, self._note_ahead),
            lambda: self._log.thresholds.value("speculation"),
        )
        self.suggestions = Suggestions(
            self._known_capabilities, tasks, self._log.thresholds, self._log.traces
        )
        self._news, self._noted = anyio.create_memory_object_stream[None](1)
        self._stopping, self._all_written = anyio.Event(), anyio.Event()

    def start(self, *, prepares: bool = True) -> None:
        """Get ready for calls. `prepares`: also search, and servers that have never listed their tools."""
        if prepares:
            self._tasks.start_soon(self._listings.prepare)
        self._tasks.start_soon(self._write)

    @property
    def prepared(self) -> anyio.Event:
        """Set when every visible server has been asked for its tools."""
        return self._listings.prepared

    async def stop(self) -> None:
        """End every connection, and write what is still to be recorded."""
        await self._speculator.stop()
        self._pool.close()
        self._stopping.set()
        self._news.close()
        await self._all_written.wait()

    async def tool_search(self) -> ToolSearch:
        """Search over the tools as they are now."""
        return await self._work(self._targets.search)

    async def tools(self) -> list[UpstreamTool]:
        """Every known tool of the servers that are switched on."""
        return list((await self.tool_search()).tools)

    async def calls(self) -> Mapping[str, int]:
        """How often each tool was called, by id."""
        return await self._work(self._log.calls)

    async def discover(self, text: str, limit: int, session: str | None = None) -> Discovery:
        """The tools that fit a request best, also by what the session called last.

        New tools are found by words at once, and by meaning when they are embedded, which happens behind.
        """
        search, experience = await self._work(
            lambda: (self._targets.search(), self._log.experience(session))
        )
        if search.can_embed and not self._embedding.locked():
            self._tasks.start_soon(self._embed)
        started = time.perf_counter()
        discovery = await to_thread.run_sync(lambda: search.find(text, experience, limit=limit))
        self.traces.discovered(session or "", text, discovery, (time.perf_counter() - started) * 1_000)
        self._note()
        return discovery

    @property
    def traces(self) -> ToolTraces:
        """What is traced of discovery and plans, written with the receipts."""
        return self._log.traces

    async def _known_capabilities(self) -> Sequence[Capability]:
        """The capabilities that work with the tools as they are now."""

        def known() -> Sequence[Capability]:
            tools = self._targets.search().by_id
            return [each for each in self._log.capabilities() if not stale_tools(each, tools)]

        return await self._work(known)

    async def plan_request(self, wish: Wish, used: Collection[str] = ()) -> PlanRequest:
        """What a plan is made from now. `used` are tools that a run has called already."""
        search, edges = await self._work(lambda: (self._targets.search(), self._log.edges()))
        upstreams = await self._work(self._gateway.upstreams)
        request = await to_thread.run_sync(plan_request, wish, search, edges, upstreams)
        return replace(request, outputs=await self.outputs(related(request, used)))

    async def outputs(self, tools: Sequence[UpstreamTool]) -> Mapping[str, Schema]:
        """What each of these tools gives, as far as it is known."""
        return await self._work(lambda: output_schemas(tools, self._gateway.observed))

    async def tool(self, id: str) -> UpstreamTool:
        """One tool by its id, as a model may see it. Raises NotFoundError that offers similar ones."""
        return await self._work(lambda: self._targets.tool(id))

    async def call(
        self, id: str, arguments: Mapping[str, Any], caller: Caller, *, only_reading: bool = False
    ) -> types.CallToolResult:
        """Call a tool; its own error is a result, and a large result a note with the handle of it.

        Raises NotFoundError, UpstreamError, and RefusedError for arguments that do not fit, a tool that
        changed since it was accepted, a rule that forbids the call, or, with `only_reading`, a tool that may
        do more than read.
        """
        return (await self.deliver(id, arguments, caller, only_reading=only_reading)).reply

    async def deliver(
        self, id: str, arguments: Mapping[str, Any], caller: Caller, *, only_reading: bool = False
    ) -> Delivery:
        """`call`, with the result as the server gave it beside what an agent gets."""
        target = await self.target(id, caller.client)
        if only_reading and not only_reads(target.tool, target.decision):
            raise RefusedError(f"{id} is not declared read-only, or a rule restricts it; use `call`.")

        calling = partial(self._call, target, arguments, caller)
        delivery = await self._recorded(target, arguments, caller, calling)
        if not delivery.result.is_error:
            self.next_calls.called(target, arguments, delivery, caller)
            if caller.session is not None:
                self.suggestions.called(caller.session, target.tool.id)
        return delivery

    async def perform(
        self,
        target: CallTarget,
        arguments: Mapping[str, Any],
        caller: Caller,
        session: str | None = None,
    ) -> Delivery:
        """Call a tool whose arguments and permission are settled. Raises UpstreamError.

        The result may come from a call that ran ahead in the `session` of the client.
        """
        answering = partial(self._speculator.answer, self._send, target, arguments, caller, session)
        return await self._recorded(target, arguments, caller, answering)

    async def delivered(
        self, source: UpstreamTool, result: types.CallToolResult
    ) -> types.CallToolResult:
        """A result of our own as an agent gets it: a large one is stored."""
        return (await self._log.delivery(source, result)).reply

    async def reach(self, target: CallTarget, caller: Caller) -> None:
        """Have the server of a tool started. Raises UpstreamError while nothing was called yet."""
        async with self._pool.connection(target.upstream, caller):
            pass

    async def _recorded(
        self,
        target: CallTarget,
        arguments: Mapping[str, Any],
        caller: Caller,
        answer_of: Callable[[], Awaitable[UpstreamAnswer]],
    ) -> Delivery:
        """Call, and write the receipt."""
        tool, started = target.tool, time.monotonic()

        def milliseconds() -> float:
            return (time.monotonic() - started) * 1_000

        outcome: Outcome
        try:
            answer = await answer_of()
        except NotPermittedError:
            raise  # neither the tool's failure nor the agent's
        except (RefusedError, UpstreamError) as error:
            outcome = "bad_arguments" if isinstance(error, RefusedError) else "server_failure"
            self._log.record(tool, arguments, outcome, milliseconds())
            self.traces.called(caller.session or "", tool.id, outcome)
            self._note()
            raise
        result, outcome = answer.result, outcome_of(answer.result)
        took = answer.milliseconds or milliseconds()
        delivery = await self._log.delivery(tool, result, target.fields)
        delivery = replace(delivery, source=answer.source)
        self._log.record(tool, arguments, outcome, took, delivery)
        self.traces.called(caller.session or "", tool.id, outcome)
        if outcome == "ok":
            self._log.record_success(tool, result, caller.session, started)
        self._note()
        return delivery

    async def target(self, id: str, client: str) -> CallTarget:
        """What a call needs to know before it leaves; in a thread only when something changed."""
        async with self._turn:
            target = self._targets.known_target(id, client)
        if target is None:
            target = await self._work(lambda: self._targets.target(id, client))
        return target

    async def read_result(self, handle: str, request: ReadRequest, part: int) -> str:
        """A piece of a stored result. Raises NotFoundError and RefusedError."""
        excerpt = await to_thread.run_sync(self._log.read, handle, request, part)
        self._log.record_read(excerpt)
        self._note()
        return excerpt.text

    def _note(self) -> None:
        """Have what the log noted written down without delaying the reply; `stop` waits for it."""
        with suppress(anyio.WouldBlock, anyio.ClosedResourceError):
            self._news.send_nowait(None)

    async def _write(self) -> None:
        """Write what calls leave behind, many at a time: between two calls there is no time for it."""
        with self._noted:
            async for _ in self._noted:
                with anyio.move_on_after(_BATCH_SECONDS):
                    await self._stopping.wait()
                await to_thread.run_sync(self._log.learn)
                await self._work(self._log.write)
                if not await to_thread.run_sync(self._log.next_tools.learn):
                    self._note()  # it goes on after a pause
        await self._work(self._log.close)
        self._all_written.set()

    async def _call(
        self, target: CallTarget, arguments: Mapping[str, Any], caller: Caller
    ) -> UpstreamAnswer:
        tool = target.tool
        if problems := argument_problems(tool.input_schema, arguments):
            raise RefusedError(
                f"wrong arguments for {tool.id}: {'; '.join(problems)}. Valid arguments, for example: "
                f"{example(tool.input_schema)}."
            )
        asks_person = self._exposure.asks_person
        await permit(tool, arguments, target.decision, caller, asks_person=asks_person)
        return await self._speculator.answer(self._send, target, arguments, caller, caller.session)

    async def _send(
        self, target: CallTarget, arguments: Mapping[str, Any], caller: Caller
    ) -> types.CallToolResult:
        async with self._pool.connection(target.upstream, caller) as connection:
            return await connection.call(target.tool.name, dict(arguments), caller.report)

    async def _send_ahead(
        self, target: CallTarget, arguments: Mapping[str, Any], caller: Caller
    ) -> types.CallToolResult:
        async with self._pool.connection(target.upstream, caller, ahead=True) as connection:
            return await connection.call(target.tool.name, dict(arguments), caller.report)

    def _note_ahead(self, use: SpeculationUse) -> None:
        self._log.record_speculation(use)
        self._note()

    def roots_changed(self, session: str | None) -> None:
        """A client works in other folders: its next calls go to servers that were started for those."""
        self._pool.retire(session)
        self.next_calls.forget(session or "")

    async def offers(self, own_prompts: Sequence[str]) -> Offers:
        """Resources and prompts of the servers that the client sees."""
        return await self._work(lambda: offers_of(self._gateway, self._exposure, own_prompts))

    async def ask(
        self, server: str, caller: Caller, request: Callable[[Client], Awaitable[_T]], what: str
    ) -> _T:
        """Send a server a request that is no call of a tool. Raises UpstreamError."""
        upstream = await self._work(lambda: self._gateway.upstream(server))
        async with self._pool.connection(upstream, caller) as connection:
            return await connection.ask(request, what)

    async def observed_schema(self, tool: UpstreamTool) -> Mapping[str, Any] | None:
        """What results of a tool looked like so far, for one that declares no output schema."""
        seen = await self._work(lambda: self._gateway.observed.get(tool.server, tool.name))
        return None if seen is None else json_schema(seen)

    @asynccontextmanager
    async def _open(
        self, upstream: Upstream, client_side: ClientSide
    ) -> AsyncIterator[UpstreamConnection]:
        """Lease a server for a client; its roots decide with whom it may share the process."""
        log, broker = self._gateway.log(upstream.name), self._gateway.folder
        make_folder(log.parent)
        started = await resolved_upstream(self._gateway, upstream)
        workplace = Workplace(str(self._folder), await roots_of(client_side))
        logins = self._gateway.logins
        opening = leased(started, log, broker, workplace, client_side, logins)
        async with self._circuits.guarded(started, opening) as connection:
            yield connection

    async def _changed(self, line: Line, notification: types.ServerNotification) -> None:
        """A server says that something changed: what ran ahead is dropped, its lists are asked for."""
        if isinstance(notification, (*LIST_CHANGES, types.ResourceUpdatedNotification)):
            self._speculator.drop_server(line.upstream.name)
        self._listings.changed(line, notification)

    async def _embed(self) -> None:
        """Embed what has no vectors yet, without holding the turn. Without the model, words decide."""
        async with self._embedding:
            search = await self._work(self._targets.search)
            with suppress(ModelError):
                await to_thread.run_sync(search.embed, abandon_on_cancel=True)

    async def _work(self, work: Callable[[], _T]) -> _T:
        async with self._turn:
            return await to_thread.run_sync(work)
