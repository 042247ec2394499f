"""Serving one client over standard input and output, for as long as it is there."""

import os

import anyio

from recollect.server.hook_socket import HookSocket
from recollect.server.lifecycle import live
from recollect.server.protocol import make_server
from recollect.server.stdio_transport import StdioTransport
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
