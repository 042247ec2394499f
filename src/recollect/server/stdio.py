"""Serving one client over standard input and output, for as long as it is there."""

import os

import anyio

from recollect.app.worker import ProjectWorker
from recollect.server.hook_socket import HookSocket
from recollect.server.lifecycle import FinishWrites, live, nothing_written
from recollect.server.protocol import make_server
from recollect.server.stdio_transport import StdioTransport
from recollect.tools.offers import NO_OFFERS, OfferProvider
from recollect.tools.provider import ToolProvider


def serve(
    worker: ProjectWorker,
    tools: ToolProvider,
    offers: OfferProvider = NO_OFFERS,
    finish_writes: FinishWrites = nothing_written,
) -> None:
    """Serve until standard input ends, the parent is gone or a signal comes."""
    anyio.run(_serve, worker, tools, offers, finish_writes, os.getppid())


async def _serve(
    worker: ProjectWorker,
    tools: ToolProvider,
    offers: OfferProvider,
    finish_writes: FinishWrites,
    parent: int,
) -> None:
    transport = StdioTransport(make_server(worker, tools, offers))
    await live(transport, tools, HookSocket(worker), parent, finish_writes)
