"""What servers offer now: the catalogue asks them when they are new and when they say that it changed.

Calls do not wait for it.
"""

from collections.abc import Awaitable, Callable

import anyio
import mcp_types as types
from anyio.abc import TaskGroup

from recollect.app.call_knowledge import Work
from recollect.app.gateway import Gateway
from recollect.errors import UpstreamError
from recollect.gateway.exposure import Exposure
from recollect.upstreams.client_roots import NoClient
from recollect.upstreams.pool import Line, Opener

RELIST_SECONDS = 5.0  # between two lists of a server that says that it changed
LIST_CHANGES = (
    types.ToolListChangedNotification,
    types.ResourceListChangedNotification,
    types.PromptListChangedNotification,
)


class ServerListings:
    """Keeps the catalogue up to date. `embed` makes what is new searchable by meaning."""

    def __init__(
        self,
        gateway: Gateway,
        exposure: Exposure,
        open_connection: Opener,
        work: Work,
        embed: Callable[[], Awaitable[None]],
        tasks: TaskGroup,
    ) -> None:
        self._gateway, self._exposure, self._open = gateway, exposure, open_connection
        self._work, self._embed, self._tasks = work, embed, tasks
        self.prepared = anyio.Event()  # every visible server has been asked for its tools
        self._to_relist: set[str] = set()
        self._relist_at: dict[str, float] = {}

    def changed(self, line: Line, notification: types.ServerNotification) -> None:
        """A server offers other things now. While a list is still to be asked for, it will have this too."""
        if isinstance(notification, LIST_CHANGES) and line.upstream.name not in self._to_relist:
            self._to_relist.add(line.upstream.name)
            self._tasks.start_soon(self._relist_over, line)

    async def prepare(self) -> None:
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
        await self._work(lambda: self._gateway.follow(name, listing))

    async def _relist_over(self, line: Line) -> None:
        """Ask the process that changed: another one of the same server may offer something else.

        The first change is seen at once; a server that changes again and again is asked now and then, so
        that the calls of others do not wait for its lists.
        """
        name = line.upstream.name
        await anyio.sleep_until(self._relist_at.get(name, 0.0))
        self._to_relist.discard(name)
        self._relist_at[name] = anyio.current_time() + RELIST_SECONDS
        connection = await line.opened()
        if connection is None:
            return
        try:
            listing = await connection.listing()
        except UpstreamError:
            return
        if await self._work(lambda: self._gateway.follow(name, listing)):
            await self._embed()
