"""Serving one client over standard input and output, for as long as it is there."""

import os
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from recollect.server.hook_socket import HookSocket
from recollect.server.lifecycle import live
from recollect.server.protocol import make_server
from recollect.server.worker import ProjectWorker
from recollect.tools.offers import NO_OFFERS, OfferProvider
from recollect.tools.provider import ToolProvider


def serve(worker: ProjectWorker, tools: ToolProvider, offers: OfferProvider = NO_OFFERS) -> None:
    """Serve until standard input ends, the parent is gone or a signal comes."""
    anyio.run(_serve, worker, tools, offers, os.getppid())


async def _serve(
    worker: ProjectWorker, tools: ToolProvider, offers: OfferProvider, parent: int
) -> None:
    transport = StdioTransport(make_server(worker, tools, offers))
    await live(transport, tools, HookSocket(worker), parent)


class StdioTransport:
    """One client. `serve` cannot return while standard input stays open: a thread is reading it."""

    def __init__(self, server: Server[Any]) -> None:
        self._server = server
        self._calls = anyio.CancelScope()
        self._ended = anyio.Event()

    async def serve(self) -> None:
        """Serve until standard input ends."""
        async with stdio_server() as (incoming, outgoing):
            try:
                with self._calls:
                    options = self._server.create_initialization_options()
                    await self._server.run(incoming, outgoing, options)
            finally:
                self._ended.set()

    async def stop(self) -> None:
        """Cancel the calls under way and wait for their end."""
        self._calls.cancel()
        await self._ended.wait()
