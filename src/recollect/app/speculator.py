"""Calls that run ahead of the agent: started, joined by the real call, and dropped.

A result stands for one real call with the same client, tool version and arguments, within seconds. Every call
that may write drops what was read before it, on every server, because what one server writes another may
read. A failure, a late answer or a result that is too large is dropped: the real call is then made as if
nothing had been tried.
"""

import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import anyio
import mcp_types as types
from anyio.abc import TaskGroup
from mcp import MCPError

from recollect.app.call_targets import CallTarget
from recollect.errors import RefusedError
from recollect.gateway.speculation_use import SpeculationUse
from recollect.tools.caller import Caller
from recollect.workflow import weights
from recollect.workflow.events import OutputSource
from recollect.workflow.speculation import call_cost, may_write

MOST_CALLS = 32  # ahead at the same time, with those whose results wait
MOST_BYTES, MOST_RESULT_BYTES = 8_000_000, 1_000_000

Send: TypeAlias = Callable[[CallTarget, Mapping[str, Any], Caller], Awaitable[types.CallToolResult]]
_Key: TypeAlias = tuple[str, str, str]  # session, tool, arguments


@dataclass(frozen=True, slots=True)
class UpstreamAnswer:
    """What a server gave, and where it comes from. `milliseconds` is how long the server took, if ahead."""

    result: types.CallToolResult
    source: OutputSource = "call"
    milliseconds: float | None = None


@dataclass(frozen=True, eq=False, slots=True)
class AheadCaller:
    """The client of a call that nobody made yet: it hears nothing, and nobody answers for it."""

    session: str
    client: str

    async def report(
        self, done: float, total: float | None = None, message: str | None = None, /
    ) -> None:
        """Nobody waits."""

    async def answer(self, question: types.InputRequest) -> types.InputResponse:
        raise MCPError(types.INVALID_REQUEST, f"{question.method} arrived before any call")

    async def log(self, message: types.LoggingMessageNotificationParams) -> None:
        """Nobody reads it."""


@dataclass(eq=False, slots=True)
class _CallAhead:
    """One call. It ends when its result was taken, is too old, or its scope is cancelled."""

    key: _Key
    target: CallTarget
    began: float
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    answered: anyio.Event = field(default_factory=anyio.Event)
    taken: anyio.Event = field(default_factory=anyio.Event)
    over: anyio.Event = field(default_factory=anyio.Event)
    result: types.CallToolResult | None = None
    bytes: int = 0
    ended: float = 0.0
    waiting: int = 0
    saved_ms: float = 0.0

    def can_answer(self, target: CallTarget) -> bool:
        """Whether it still counts for a call of this tool, as it is accepted now."""
        is_current = not self.scope.cancel_called and anyio.current_time() < self.scope.deadline
        return is_current and not self.taken.is_set() and self.target == target

    @property
    def milliseconds(self) -> float:
        return ((self.ended or anyio.current_time()) - self.began) * 1_000


class Speculator:
    """The calls ahead of the clients of one server of ours. `record` gets what became of each."""

    def __init__(
        self,
        send: Send,
        tasks: TaskGroup,
        record: Callable[[SpeculationUse], None],
        keep_seconds: float | None = None,
    ) -> None:
        self._send, self._tasks, self._record = send, tasks, record
        self._keep_seconds = weights.RESULT_SECONDS if keep_seconds is None else keep_seconds
        self._calls: dict[_Key, _CallAhead] = {}
        self._running: set[_CallAhead] = set()
        self._real: Counter[_Key] = Counter()  # calls that clients have open
        self._writes = 0  # open calls that may write
        self._failed: set[str] = set()  # servers that failed ahead, until a real call works
        self._is_stopped = False

    async def answer(
        self,
        send: Send,
        target: CallTarget,
        arguments: Mapping[str, Any],
        caller: Caller,
        session: str | None,
    ) -> UpstreamAnswer:
        """Answer a real call: from the call that ran ahead of it in the session, or by `send`."""
        if may_write(target.tool):
            with self._writing():
                return UpstreamAnswer(await send(target, arguments, caller))
        key = _key(session, target, arguments)
        if (call := await self._taken(key, target)) is not None and call.result is not None:
            return UpstreamAnswer(call.result, "speculation", call.milliseconds)
        self._real[key] += 1
        try:
            result = await send(target, arguments, caller)
        finally:
            self._real[key] -= 1
            self._real += Counter()  # without what is at zero
        self._failed.discard(target.upstream.name)
        return UpstreamAnswer(result)

    def start(
        self,
        target: CallTarget,
        arguments: Mapping[str, Any],
        caller: AheadCaller,
        then: Callable[[types.CallToolResult], None] | None = None,
    ) -> bool:
        """Call a tool that was judged harmless; whether it was started. `then` gets its result."""
        key = _key(caller.session, target, arguments)
        if (
            self._is_stopped
            or self._writes
            or key in self._calls
            or key in self._real
            or len(self._calls) >= MOST_CALLS
            or target.upstream.name in self._failed
        ):
            return False
        call = self._calls[key] = _CallAhead(key, target, anyio.current_time())
        self._tasks.start_soon(self._run, call, dict(arguments), caller, then)
        return True

    def drop(self, session: str | None = None) -> None:
        """Drop every call ahead, or those of one session."""
        for call in list(self._calls.values()):
            if session is None or call.key[0] == session:
                call.scope.cancel()

    def drop_server(self, name: str) -> None:
        """Drop what was read from a server that says that it changed."""
        for call in list(self._calls.values()):
            if call.target.upstream.name == name:
                call.scope.cancel()

    async def stop(self) -> None:
        """Drop everything, and start nothing any more; what became of each call is recorded."""
        self._is_stopped = True
        self.drop()
        for call in list(self._running):
            await call.over.wait()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        self.drop()
        self._writes += 1
        try:
            yield
        finally:
            self._writes -= 1

    async def _taken(self, key: _Key, target: CallTarget) -> _CallAhead | None:
        """The call ahead that answers a real one, once it has its result; None if there is none."""
        call = self._calls.get(key)
        if call is None or not call.can_answer(target):
            return None
        joined_at = anyio.current_time()
        if not call.answered.is_set():
            await self._join(call)
        if call.result is None or not call.can_answer(target):
            return None
        call.saved_ms = max(0.0, call.milliseconds - (anyio.current_time() - joined_at) * 1_000)
        call.taken.set()
        self._calls.pop(key, None)
        return call

    async def _join(self, call: _CallAhead) -> None:
        """Wait for a call that is under way. The server's own time limit holds from now on."""
        call.waiting += 1
        call.scope.deadline = float("inf")
        try:
            await call.answered.wait()
        finally:
            call.waiting -= 1
            if not call.answered.is_set() and not call.waiting:
                call.scope.cancel()

    async def _run(
        self,
        call: _CallAhead,
        arguments: dict[str, Any],
        caller: AheadCaller,
        then: Callable[[types.CallToolResult], None] | None,
    ) -> None:
        self._running.add(call)
        try:
            with call.scope:
                call.scope.deadline = anyio.current_time() + weights.SPECULATION_MS / 1_000
                await self._fetch(call, arguments, caller)
                if call.result is not None:
                    call.scope.deadline = anyio.current_time() + self._keep_seconds
                    call.answered.set()
                    if then is not None:
                        then(call.result)
                    await call.taken.wait()
        finally:
            if self._calls.get(call.key) is call:
                del self._calls[call.key]
            call.ended = call.ended or anyio.current_time()
            call.answered.set()
            self._record(_use(call))
            self._running.discard(call)
            call.over.set()

    async def _fetch(self, call: _CallAhead, arguments: dict[str, Any], caller: AheadCaller) -> None:
        try:
            result = await self._send(call.target, arguments, caller)
        except RefusedError:
            return  # the server works, and does not like the arguments
        except Exception:
            self._failed.add(call.target.upstream.name)
            return
        call.ended = anyio.current_time()
        if result.is_error:
            return
        call.bytes = len(result.model_dump_json())
        stored = sum(other.bytes for other in self._calls.values())
        if call.bytes <= MOST_RESULT_BYTES and stored <= MOST_BYTES:
            call.result = result


def _key(session: str | None, target: CallTarget, arguments: Mapping[str, Any]) -> _Key:
    return session or "", target.tool.id, json.dumps(dict(arguments), sort_keys=True)


def _use(call: _CallAhead) -> SpeculationUse:
    """The receipt of a call that has ended."""
    tool, is_hit = call.target.tool, call.taken.is_set()
    dollars = call_cost(tool, call.target.upstream) or 0.0
    return SpeculationUse(
        tool.server,
        tool.name,
        started=1,
        succeeded=int(call.result is not None),
        hits=int(is_hit),
        saved_ms=call.saved_ms,
        wasted_ms=0.0 if is_hit else call.milliseconds,
        dollars=dollars,
        wasted_dollars=0.0 if is_hit else dollars,
    )
