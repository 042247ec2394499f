"""The requests of one server's clients: which wait, which are open, and their ids."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NewType

from recollect.upstreams.jsonrpc import Json, RequestId

LeaseId = NewType("LeaseId", int)

LISTEN = "subscriptions/listen"
_UNCOUNTED = {LISTEN, "initialize", "server/discover", "ping"}


@dataclass(frozen=True, slots=True)
class Call:
    """A request for the server. Without a lease it is the broker's own."""

    lease: LeaseId | None
    id: RequestId  # the client's
    message: Json

    @property
    def method(self) -> str:
        return str(self.message["method"])

    @property
    def is_counted(self) -> bool:
        """Whether it takes one of the server's places; a stream of events stays open for hours."""
        return self.lease is not None and self.method not in _UNCOUNTED

    @property
    def progress_token(self) -> RequestId | None:
        """The client's name for reports of progress."""
        token: RequestId | None = _meta(self.message).get("progressToken")
        return token

    def numbered(self, number: int) -> Json:
        """The message as the server gets it: two clients may use the same id and the same token."""
        message = {**self.message, "jsonrpc": "2.0", "id": number}
        if self.progress_token is not None:
            params = message["params"]
            message["params"] = {**params, "_meta": {**params["_meta"], "progressToken": number}}
        return message


def _meta(message: Json) -> Json:
    meta = message.get("params", {}).get("_meta")
    return meta if isinstance(meta, dict) else {}


class CallTable:
    """Requests in the order in which they came; `limit` of them are open at a time."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._last = 0
        self._waiting: list[Call] = []
        self._open: dict[int, Call] = {}

    def add(self, call: Call) -> None:
        """Let a request wait for its turn."""
        self._waiting.append(call)

    def has(self, lease: LeaseId, id: RequestId) -> bool:
        """Whether a client waits for an answer under this id."""
        return any((call.lease, call.id) == (lease, id) for call in self._all())

    def due(self) -> list[tuple[int, Call]]:
        """Open the requests for which there is room, and return them with their numbers."""
        places = self._limit - sum(call.is_counted for call in self._open.values())
        due, waiting = [], []
        for call in self._waiting:
            if call.is_counted and places <= 0:
                waiting.append(call)
                continue
            places -= call.is_counted
            self._last += 1
            self._open[self._last] = call
            due.append((self._last, call))
        self._waiting = waiting
        return due

    def open_call(self, number: int | None) -> Call | None:
        """The request that the server has under this number."""
        return None if number is None else self._open.get(number)

    def close(self, number: int) -> Call | None:
        """Forget an open request: it was answered."""
        return self._open.pop(number, None)

    def cancel(self, lease: LeaseId, id: RequestId) -> int | None:
        """Forget a client's request; the number under which the server has it, if it does."""
        self._waiting = [call for call in self._waiting if (call.lease, call.id) != (lease, id)]
        for number, call in self._open.items():
            if (call.lease, call.id) == (lease, id):
                del self._open[number]
                return number
        return None

    def leave(self, lease: LeaseId) -> list[int]:
        """Forget all requests of a client; the numbers of those that the server has."""
        self._waiting = [call for call in self._waiting if call.lease != lease]
        numbers = [number for number, call in self._open.items() if call.lease == lease]
        for number in numbers:
            del self._open[number]
        return numbers

    def take_open(self) -> list[Call]:
        """Forget what was open, because the server has ended."""
        calls = list(self._open.values())
        self._open.clear()
        return calls

    def take_waiting(self) -> list[Call]:
        """Forget what waits, because the server will not be started."""
        calls, self._waiting = self._waiting, []
        return calls

    @property
    def waiting(self) -> int:
        """How many requests wait."""
        return len(self._waiting)

    @property
    def in_progress(self) -> int:
        """How many requests are open, streams of events and handshakes aside."""
        return sum(call.is_counted for call in self._open.values())

    @property
    def is_idle(self) -> bool:
        """Whether nobody waits for the server."""
        return not self._waiting and all(call.method == LISTEN for call in self._open.values())

    def callers(self) -> set[LeaseId]:
        """The clients with an open request."""
        return {
            call.lease for call in self._open.values() if call.is_counted and call.lease is not None
        }

    def _all(self) -> Iterator[Call]:
        yield from self._waiting
        yield from self._open.values()


def own_call(method: str, params: Json) -> Call:
    """A request of the broker's own."""
    return Call(None, 0, {"method": method, "params": params})


def with_params(call: Call, params: Json) -> Call:
    """A request with other parameters."""
    return replace(call, message={**call.message, "params": params})
