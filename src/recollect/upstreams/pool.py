"""Open connections: one for each client and server, opened by the first call, reused until it ends."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

import anyio
import mcp_types as types
from anyio.abc import TaskGroup
from mcp import MCPError

from recollect.errors import UpstreamError
from recollect.gateway.upstream import Upstream
from recollect.tools.caller import Caller
from recollect.upstreams.connection import ClientSide, UpstreamConnection

Opener = Callable[[Upstream, ClientSide], AbstractAsyncContextManager[UpstreamConnection]]
Listener = Callable[["Line", types.ServerNotification], Awaitable[None]]

_CALLER: ContextVar[Caller | None] = ContextVar("caller", default=None)


class ConnectionPool:
    """The connections of the clients of one server of ours.

    A client never shares a connection with another, so that what a server asks reaches the client whose
    call it belongs to.
    """

    def __init__(self, open_connection: Opener, listener: Listener, tasks: TaskGroup) -> None:
        self._open, self._listener, self._tasks = open_connection, listener, tasks
        self._lines: dict[tuple[str | None, str], Line] = {}

    @asynccontextmanager
    async def connection(
        self, upstream: Upstream, caller: Caller, *, ahead: bool = False
    ) -> AsyncIterator[UpstreamConnection]:
        """A connection for one call. Raises UpstreamError when the server cannot be reached.

        A call `ahead` of its client's opens no connection, because its client is not there to name its roots,
        and gets a server's questions only while no other call is open.
        """
        line = self._open_line(upstream, caller) if ahead else self._line(upstream, caller.session)
        # While a line is opened, the client of its newest call is asked for its roots.
        line.callers.insert(0 if ahead else len(line.callers), caller)
        token = _CALLER.set(caller)
        try:
            connection = await line.opened()
            if connection is None:
                raise line.failure or UpstreamError(upstream.name, "was stopped", "call it again")
            yield connection
        finally:
            _CALLER.reset(token)
            line.callers.remove(caller)
            if line.is_retired and not line.callers:
                line.scope.cancel()

    def _open_line(self, upstream: Upstream, caller: Caller) -> "Line":
        line = self._lines.get((caller.session, upstream.name))
        if line is None or line.upstream != upstream:
            raise UpstreamError(upstream.name, "is not connected", "call it")
        return line

    def is_open(self, upstream: Upstream, session: str | None) -> bool:
        """Whether a client has a connection to a server, or one is being opened."""
        line = self._lines.get((session, upstream.name))
        return line is not None and line.upstream == upstream

    def _line(self, upstream: Upstream, session: str | None) -> "Line":
        """The open line, or a new one: also when the server was configured anew."""
        key = session, upstream.name
        line = self._lines.get(key)
        if line is not None and line.upstream == upstream:
            return line
        if line is not None:
            line.scope.cancel()
        line = self._lines[key] = Line(upstream, self._listener)
        self._tasks.start_soon(self._run, key, line)
        return line

    async def _run(self, key: tuple[str | None, str], line: "Line") -> None:
        """Hold a connection open in a task of its own: it must be closed where it was opened."""
        try:
            with line.scope:
                async with self._open(line.upstream, line) as connection:
                    line.connection = connection
                    line.decided.set()
                    await connection.ended.wait()
        except UpstreamError as error:
            line.failure = error
        finally:
            line.connection = None
            line.decided.set()
            if self._lines.get(key) is line:
                del self._lines[key]

    def retire(self, session: str | None) -> None:
        """Open new connections for the next calls of a client; its old ones end with their open calls."""
        for key in [key for key in self._lines if key[0] == session]:
            line = self._lines.pop(key)
            line.is_retired = True
            if not line.callers:
                line.scope.cancel()

    def close(self) -> None:
        """End every connection; their tasks end soon after."""
        for line in self._lines.values():
            line.scope.cancel()


@dataclass(eq=False, slots=True)
class Line:
    """A connection that is being opened, open, or closed; the client side of it."""

    upstream: Upstream
    listener: Listener
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    decided: anyio.Event = field(default_factory=anyio.Event)
    connection: UpstreamConnection | None = None
    failure: UpstreamError | None = None
    callers: list[Caller] = field(default_factory=list)
    is_retired: bool = False

    async def opened(self) -> UpstreamConnection | None:
        """The connection once it is open; None when it could not be opened, or has ended."""
        if not self.decided.is_set():  # waiting for what is decided costs a turn of the event loop
            await self.decided.wait()
        return self.connection

    async def answer(self, question: types.InputRequest) -> types.InputResponse:
        """What the client of the open call says. Raises MCPError when that is not one client."""
        return await self._client(question.method).answer(question)

    def _client(self, method: str) -> Caller:
        # A server of the newer protocol asks in the result of a call, so the task knows whose it is.
        if caller := _CALLER.get():
            return caller
        clients = [
            caller for caller in self.callers if caller.session is None or caller is self.callers[-1]
        ]
        if not clients:
            raise MCPError(types.INVALID_REQUEST, f"{method} arrived while no call was open")
        if len(clients) > 1:
            raise MCPError(
                types.INVALID_REQUEST, f"{method} arrived while calls of several clients were open"
            )
        return clients[0]

    async def log(self, message: types.LoggingMessageNotificationParams) -> None:
        """To the client of the newest open call; without one nobody asked."""
        if self.callers:
            await self.callers[-1].log(message)

    async def notify(self, notification: types.ServerNotification) -> None:
        await self.listener(self, notification)
