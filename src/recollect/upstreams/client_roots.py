"""The roots of a client: asked once, before a server is leased for it."""

import anyio
import mcp_types as types
from mcp import MCPError

from recollect.upstreams.connection import ClientSide

_PATIENCE = 5.0  # seconds for a client to name its roots


async def roots_of(client_side: ClientSide) -> tuple[str, ...]:
    """The folders in which a client works; none if it does not say."""
    try:
        with anyio.fail_after(_PATIENCE):
            answer = await client_side.answer(types.ListRootsRequest())
    except (MCPError, TimeoutError):
        return ()
    if not isinstance(answer, types.ListRootsResult):
        return ()
    return tuple(sorted(str(root.uri) for root in answer.roots))


class NoClient:
    """The client side of a connection that is nobody's: for listing what a server offers."""

    async def answer(self, question: types.InputRequest) -> types.InputResponse:
        """Nobody answers."""
        raise MCPError(
            types.INVALID_REQUEST, f"no client is connected that could answer {question.method}"
        )

    async def log(self, message: types.LoggingMessageNotificationParams) -> None:
        """Nobody reads it."""

    async def notify(self, notification: types.ServerNotification) -> None:
        """Nobody waits for it."""
