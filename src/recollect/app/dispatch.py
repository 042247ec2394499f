"""Calling upstream tools for the clients of one `serve`: which tool, with what, and what comes back.

A call: find the tool, check its arguments against the schema, call its server over a connection that is
opened by the first call, store a result that is too large, and write the receipt. Databases and search are
synchronous: they take turns in a thread.
"""

import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import anyio
import mcp_types as types
from anyio import to_thread
from anyio.abc import TaskGroup
from mcp import Client

from recollect.app.call_log import CallLog
from recollect.app.gateway import Gateway
from recollect.app.observing import result_value
from recollect.app.offers import Offers, offers_of
from recollect.app.tool_approval import asks_approval
from recollect.app.tool_policy import harness_rules
from recollect.app.tool_search import ToolSearch
from recollect.errors import NotFoundError, NotPermittedError, RefusedError, StoreError, UpstreamError
from recollect.gateway.arguments import argument_problems, example
from recollect.gateway.discovery import Discovery
from recollect.gateway.exposure import Exposure
from recollect.gateway.observed_schema import json_schema, observed
from recollect.gateway.policy import PolicyDecision, decide, only_reads
from recollect.gateway.receipts import Outcome
from recollect.gateway.tool import UpstreamTool
from recollect.gateway.upstream import Upstream, resolved
from recollect.gateway.vault.reading import ReadRequest
from recollect.storage.private import make_folder
from recollect.tools.caller import Caller
from recollect.upstreams.client_roots import NoClient, roots_of
from recollect.upstreams.connection import ClientSide, UpstreamConnection
from recollect.upstreams.lease import Workplace, leased
from recollect.upstreams.pool import ConnectionPool

_SIMILAR = 3  # names that an error offers
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class _Target:
    """A tool as it was accepted, its server, and what policy says about calling it."""

    tool: UpstreamTool
    upstream: Upstream
    decision: PolicyDecision


class Dispatcher:
    """The gateway of one project folder while a server of ours runs."""

    def __init__(self, gateway: Gateway, folder: Path, exposure: Exposure, tasks: TaskGroup) -> None:
        self._gateway, self._folder, self._exposure, self._tasks = gateway, folder, exposure, tasks
        self.prepared = anyio.Event()  # every visible server has been asked for its tools
        self._pool = ConnectionPool(self._open, self._changed, tasks)
        self._log = CallLog(gateway, folder)
        self._turn = anyio.Lock()
        self._records, self._to_write = anyio.create_memory_object_stream[Callable[[], None]](math.inf)
        self._all_written = anyio.Event()
        self._search: ToolSearch | None = None
        self._known: object = None

    def start(self) -> None:
        """Get search ready in the background, and ask servers that have never listed their tools."""
        self._tasks.start_soon(self._prepare)
        self._tasks.start_soon(self._write)

    async def stop(self) -> None:
        """End every connection, and write what is still to be recorded."""
        self._pool.close()
        self._records.close()
        await self._all_written.wait()

    async def tools(self) -> list[UpstreamTool]:
        """Every known tool of the servers that are switched on."""
        return list((await self._work(self._current)).index.tools)

    async def calls(self) -> Mapping[str, int]:
        """How often each tool was called, by id."""
        return await self._work(self._log.calls)

    async def discover(self, text: str, limit: int, session: str | None = None) -> Discovery:
        """The tools that fit a request best, also by what the session called last."""
        return await self._work(
            lambda: self._current().find(text, self._log.experience(session), limit=limit)
        )

    async def tool(self, id: str) -> UpstreamTool:
        """One tool by its id, as a model may see it. Raises NotFoundError that offers similar ones."""
        return await self._work(lambda: self._tool(id))

    def _tool(self, id: str) -> UpstreamTool:
        tools = self._current().by_id
        if id in tools:
            return tools[id]
        of_name = [tool.id for tool in tools.values() if tool.name == id]
        similar = of_name or get_close_matches(id, tools, n=_SIMILAR)
        hint = (
            f"did you mean {' or '.join(map(repr, similar))}?" if similar else "discover finds tools."
        )
        raise NotFoundError(f"there is no tool {id!r}; {hint}")

    async def call(
        self, id: str, arguments: Mapping[str, Any], caller: Caller, *, only_reading: bool = False
    ) -> types.CallToolResult:
        """Call a tool; its own error is a result, and a large result a note with the handle of it.

        Raises NotFoundError, UpstreamError, and RefusedError for arguments that do not fit, a tool that
        changed since it was accepted, a rule that forbids the call, or, with `only_reading`, a tool that may
        do more than read.
        """
        target = await self._work(lambda: self._target(id, caller.client))
        tool, started = target.tool, time.monotonic()
        if only_reading and not only_reads(tool, target.decision):
            raise RefusedError(
                f"{id} does not say that it only reads, or a rule restricts it; use `call`."
            )

        def milliseconds() -> float:
            return (time.monotonic() - started) * 1_000

        outcome: Outcome
        try:
            result = await self._call(target, arguments, caller)
        except NotPermittedError:
            raise  # neither the tool's failure nor the agent's
        except (RefusedError, UpstreamError) as error:
            outcome = "bad_arguments" if isinstance(error, RefusedError) else "server_failure"
            self._later(partial(self._log.record, tool, arguments, outcome, milliseconds()))
            raise
        outcome, took = "tool_error" if result.is_error else "ok", milliseconds()
        delivery = await self._log.delivery(tool, result)
        self._later(partial(self._log.record, tool, arguments, outcome, took, delivery))
        if outcome == "ok":
            self._later(partial(self._log.follow, tool, caller.session))
        return delivery.reply

    def _target(self, id: str, client: str) -> _Target:
        """What a call needs to know before it leaves."""
        shown = self._tool(id)
        tool = self._gateway.accepted(shown.server, shown.name)
        rules = [*self._gateway.policy.rules(), *harness_rules(self._folder, self._gateway.env, client)]
        return _Target(tool, self._gateway.upstream(tool.server), decide(tool, rules))

    async def read_result(self, handle: str, request: ReadRequest, part: int) -> str:
        """A piece of a stored result. Raises NotFoundError and RefusedError."""
        excerpt = await to_thread.run_sync(self._log.read, handle, request, part)
        self._later(partial(self._log.record_read, excerpt))
        return excerpt.text

    def _later(self, record: Callable[[], None]) -> None:
        """Record something without delaying the reply; `stop` waits for it."""
        self._records.send_nowait(record)

    async def _write(self) -> None:
        with self._to_write:
            async for record in self._to_write:
                await self._work(record)
        self._all_written.set()

    async def _call(
        self, target: _Target, arguments: Mapping[str, Any], caller: Caller
    ) -> types.CallToolResult:
        tool = target.tool
        if problems := argument_problems(tool.input_schema, arguments):
            raise RefusedError(
                f"wrong arguments for {tool.id}: {'; '.join(problems)}. "
                f"Arguments that fit: {example(tool.input_schema)}."
            )
        await self._permit(target, arguments, caller)
        async with self._pool.connection(target.upstream, caller) as connection:
            result = await connection.call(tool.name, dict(arguments), caller.report)
        if tool.output_schema is None:
            self._tasks.start_soon(self._learn, tool, result_value(result))
        return result

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

    async def _learn(self, tool: UpstreamTool, value: object) -> None:
        """Refine the observed schema. The call that showed it is over: no error of ours reaches it."""
        seen = None if value is None else await to_thread.run_sync(observed, value)
        if seen is not None:
            with suppress(StoreError):
                await self._work(lambda: self._gateway.observed.refine(tool.server, tool.name, seen))

    async def _permit(self, target: _Target, arguments: Mapping[str, Any], caller: Caller) -> None:
        """Return if policy lets the call pass. Raises NotPermittedError that names the rule."""
        tool, decision = target.tool, target.decision
        if decision.effect == "allow":
            return
        if decision.effect == "deny":
            raise NotPermittedError(f"{tool.id} may not be called; the rule: {decision.rule}.")
        if not self._exposure.asks_person:
            raise NotPermittedError(
                f"a person has to be asked before {tool.id} is called; the rule: {decision.rule}. "
                "This client is not known to ask one; the setting gateway.client_asks_person says so."
            )
        if not await asks_approval(tool, arguments, decision, caller):
            raise NotPermittedError(f"{tool.id} was not approved; nothing was called.")

    @asynccontextmanager
    async def _open(
        self, upstream: Upstream, client_side: ClientSide
    ) -> AsyncIterator[UpstreamConnection]:
        """Lease a server for a client; its roots decide with whom it may share the process."""
        log, broker = self._gateway.log(upstream.name), self._gateway.folder
        make_folder(log.parent)
        started = resolved(upstream, self._gateway.env)
        workplace = Workplace(str(self._folder), await roots_of(client_side))
        async with leased(started, log, broker, workplace, client_side) as connection:
            yield connection

    async def _changed(self, upstream: Upstream, notification: types.ServerNotification) -> None:
        """A server says that its tools are others now: the catalogue hears of it, calls do not wait."""
        if isinstance(notification, types.ToolListChangedNotification):
            self._tasks.start_soon(self._relist_and_embed, upstream.name)

    async def _prepare(self) -> None:
        """Search by meaning gets ready, and what servers offer becomes known."""
        unknown = [
            state.upstream.name
            for state in await self._work(self._gateway.states)
            if state.upstream.enabled
            and self._exposure.sees(state.upstream.name)
            and not state.listed_at
        ]
        async with anyio.create_task_group() as asking:
            for name in unknown:
                asking.start_soon(self._relist, name)
        self.prepared.set()
        await self._embed()

    async def _relist(self, name: str) -> None:
        """Ask a server for its tools. One that does not answer stays as it was; calls say why."""
        upstream = await self._work(lambda: self._gateway.upstream(name))
        try:
            async with self._open(upstream, NoClient()) as connection:
                listing = await connection.listing()
        except UpstreamError:
            return
        await self._work(lambda: self._gateway.record(name, listing))

    async def _relist_and_embed(self, name: str) -> None:
        await self._relist(name)
        await self._embed()

    async def _embed(self) -> None:
        search = await self._work(self._current)
        await to_thread.run_sync(search.embed, abandon_on_cancel=True)

    def _current(self) -> ToolSearch:
        """Search over the tools as the catalogue has them now."""
        known = self._gateway.known()
        if self._search is None or known != self._known:
            self._search, self._known = self._gateway.search(self._exposure.sees), known
        return self._search

    async def _work(self, work: Callable[[], _T]) -> _T:
        async with self._turn:
            return await to_thread.run_sync(work)
