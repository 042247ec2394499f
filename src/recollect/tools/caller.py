"""The client that called a tool: what it hears and what it can be asked while its call is open."""

from typing import Protocol

import mcp_types as types


class Report(Protocol):
    """How work tells its caller about progress. It may be called often; `done` must grow."""

    async def __call__(
        self, done: float, total: float | None = None, message: str | None = None, /
    ) -> None: ...


class Caller(Protocol):
    """A client with an open call. Tools that only work need nothing but `report`."""

    @property
    def session(self) -> str | None:
        """Calls with the same session come from the same client; None: this call stands alone."""

    @property
    def client(self) -> str:
        """The name by which the client introduced itself; empty if it did not. A claim, not a proof."""

    async def report(
        self, done: float, total: float | None = None, message: str | None = None, /
    ) -> None:
        """Tell the client about progress, as a `Report` does."""

    async def answer(self, question: types.InputRequest) -> types.InputResponse:
        """Ask the client: a model's answer, a person's, or its roots. Raises MCPError if it cannot."""

    async def log(self, message: types.LoggingMessageNotificationParams) -> None:
        """Pass on a line of a server's log."""
