"""The client behind one request, as tools see it."""

from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp.shared.message import ServerMessageMetadata

from recollect.loopback.principals import Scope, principal_of
from recollect.team.principal import Principal

Context = ServerRequestContext[Any]

_SESSION_HEADER = "mcp-session-id"
_ONLY_CLIENT = "stdio"


@dataclass(frozen=True, slots=True)
class SessionCaller:
    """A client that can be asked while its request is open."""

    context: Context

    @property
    def session(self) -> str | None:
        """Over standard input there is one client; over HTTP a header names the session, if there is one."""
        request = self.context.request
        return _ONLY_CLIENT if request is None else request.headers.get(_SESSION_HEADER)

    @property
    def scope(self) -> Scope | None:
        """The scope of the HTTP request; None over standard input."""
        request = self.context.request
        return None if request is None else request.scope

    @property
    def principal(self) -> Principal:
        """Who calls. Over standard input that is the agent of whoever started us."""
        return principal_of(self.scope)

    @property
    def client(self) -> str:
        params = self.context.session.client_params
        return params.client_info.name if params else ""

    async def report(
        self, done: float, total: float | None = None, message: str | None = None, /
    ) -> None:
        """The client hears it if its request asked for progress."""
        await self.context.session.report_progress(done, total, message)

    async def answer(self, question: types.InputRequest) -> types.InputResponse:
        """Ask the client. Raises MCPError when it does not offer what the question needs."""
        self.require(question)
        about = ServerMessageMetadata(related_request_id=self.context.request_id)
        answer: types.InputResponse = await self.context.session.send_request(
            question, _answer_type(question), metadata=about
        )
        return answer

    def require(self, question: types.InputRequest) -> None:
        """Raises MCPError when the client does not offer what the question needs."""
        if not self.context.session.check_client_capability(_needed(question)):
            raise MCPError(types.METHOD_NOT_FOUND, f"the client does not support {question.method}")

    async def log(self, message: types.LoggingMessageNotificationParams) -> None:
        """The client hears it if it asked for lines of this level."""
        await self.context.session.send_notification(
            types.LoggingMessageNotification(params=message), self.context.request_id
        )


def _needed(question: types.InputRequest) -> types.ClientCapabilities:
    match question:
        case types.CreateMessageRequest():
            return types.ClientCapabilities(sampling=types.SamplingCapability())
        case types.ElicitRequest():
            return types.ClientCapabilities(elicitation=types.ElicitationCapability())
        case types.ListRootsRequest():
            return types.ClientCapabilities(roots=types.RootsCapability())


def _answer_type(question: types.InputRequest) -> type[Any]:
    match question:
        case types.CreateMessageRequest(params=params):
            return types.CreateMessageResultWithTools if params.tools else types.CreateMessageResult
        case types.ElicitRequest():
            return types.ElicitResult
        case types.ListRootsRequest():
            return types.ListRootsResult
