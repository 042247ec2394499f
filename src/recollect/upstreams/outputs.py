"""What follows from a message: messages for the server and its clients, and lines for the server's log."""

from dataclasses import dataclass

from recollect.upstreams import jsonrpc
from recollect.upstreams.call_table import LeaseId
from recollect.upstreams.jsonrpc import CONNECTION_CLOSED, Json, RequestId


@dataclass(frozen=True, slots=True)
class ToServer:
    """A message for the server."""

    message: Json


@dataclass(frozen=True, slots=True)
class ToLease:
    """A message for one client."""

    lease: LeaseId
    message: Json


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line for the server's log."""

    text: str


Output = ToServer | ToLease | LogLine


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a server cannot be used, and what helps."""

    server: str
    reason: str
    advice: str

    def answer(self, id: RequestId, code: int = CONNECTION_CLOSED) -> Json:
        text = f"the server {self.server!r} {self.reason}; {self.advice}."
        data = {"server": self.server, "reason": self.reason, "advice": self.advice}
        return jsonrpc.error(id, code, text, data)
