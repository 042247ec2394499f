"""Serving one client over standard input and output, for as long as it is there."""

import os

import anyio
from mcp.server.stdio import stdio_server

from recollect.server.bridge import Bridge
from recollect.server.hook_socket import WarmPath
from recollect.server.protocol import make_server
from recollect.server.shutdown import SETTLE, until_over


def serve(bridge: Bridge) -> None:
    """Serve until standard input ends, the parent is gone or a signal comes."""
    anyio.run(_serve, bridge, os.getppid())


async def _serve(bridge: Bridge, parent: int) -> None:
    server, warm = make_server(bridge), WarmPath(bridge)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_leave, bridge, warm, parent)
        tasks.start_soon(warm.serve)
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
        tasks.cancel_scope.cancel()


async def _leave(bridge: Bridge, warm: WarmPath, parent: int) -> None:
    """End the process when nobody is left to serve, though standard input may still be open."""
    await until_over(parent)
    await bridge.settle(SETTLE)
    warm.close()
    os._exit(0)  # a thread is reading standard input, and nothing can wake it
