"""Many clients, one MCP server: which message goes to whom, and under which id. No I/O, no clock.

Clients share a process only when they would have started the same one, so what does not belong to a request
is everybody's. A message that fits nothing is dropped with a note and harms nobody.
"""

from dataclasses import dataclass, field
from typing import Literal

from recollect.upstreams import jsonrpc
from recollect.upstreams.call_table import LISTEN, Call, CallTable, LeaseId, own_call, with_params
from recollect.upstreams.jsonrpc import INVALID_REQUEST, Json, RequestId
from recollect.upstreams.outputs import LogLine, Output, Refusal, ToLease, ToServer
from recollect.upstreams.question_table import Question, QuestionTable
from recollect.upstreams.rewriting import (
    LEVELS,
    SUBSCRIPTION,
    cancelled,
    is_loud_enough,
    most_talkative,
    renamed,
    version_of,
    with_param,
)

_MOST_WAITING = 1000


@dataclass(slots=True)
class _Client:
    """What one client asked to be sent."""

    level: str | None = None
    uris: set[str] = field(default_factory=set)


class Multiplexer:
    """The messages of one server and its clients. The caller starts and ends the process."""

    def __init__(self, server: str, max_calls: int) -> None:
        self._server = server
        self._calls = CallTable(max_calls)
        self._clients: dict[LeaseId, _Client] = {}
        self._questions = QuestionTable()
        self._phase: Literal["stopped", "greeting", "ready"] = "stopped"
        self._hello: Json = {}  # what the server is greeted with
        self._greeting: Json | None = None  # what it answered
        self._is_greeting = False
        self._greeted: list[tuple[LeaseId, RequestId]] = []  # who waits for that answer
        self._has_answered = False  # the process that runs now
        self._discovered: dict[str, Json] = {}
        self._streams: list[Call] = []  # of events, which a stopped server does not have

    @property
    def wants_server(self) -> bool:
        """Whether a request waits for the process to be started."""
        return self._phase == "stopped" and self._calls.waiting > 0

    @property
    def is_idle(self) -> bool:
        """Whether the process could be stopped without anybody noticing."""
        return self._calls.is_idle and not self._questions

    @property
    def open_calls(self) -> int:
        """How many requests the server works on."""
        return self._calls.in_progress

    @property
    def is_silent(self) -> bool:
        """Whether somebody waits for the first answer of the process."""
        return self._phase != "stopped" and (
            self._is_greeting or not (self._has_answered or self._calls.is_idle)
        )

    def join(self, lease: LeaseId) -> None:
        """Add a client."""
        self._clients[lease] = _Client()

    def leave(self, lease: LeaseId) -> list[Output]:
        """Remove a client and cancel what it waits for."""
        client = self._clients.pop(lease)
        self._greeted = [waiter for waiter in self._greeted if waiter[0] != lease]
        self._streams = [call for call in self._streams if call.lease != lease]
        out: list[Output] = [
            ToServer(cancelled(number, "the client is gone")) for number in self._calls.leave(lease)
        ]
        out += [
            ToServer(_refused_question(question.id, "the client is gone"))
            for question in self._questions.leave(lease)
        ]
        for uri in sorted(client.uris - self._uris()):
            if self._phase == "ready":
                self._calls.add(own_call("resources/unsubscribe", {"uri": uri}))
        return out + self._pump()

    def started(self) -> list[Output]:
        """The process runs: greet it as before, then send what waits."""
        self._streams, streams = [], self._streams
        for call in streams:
            self._calls.add(call)
        self._has_answered = False
        if self._greeting is None:
            self._phase = "ready"
            return self._pump()
        self._phase, self._is_greeting = "greeting", True
        waiting = self._calls.take_waiting()
        self._calls.add(own_call("initialize", self._hello))
        out = self._send_due()
        for call in waiting:
            self._calls.add(call)
        return out

    def ended(self, refusal: Refusal) -> list[Output]:
        """The process is gone: refuse what was open. What waits can go to the next one."""
        self._phase = "stopped"
        out: list[Output] = []
        for call in self._calls.take_open():
            if call.method == LISTEN:
                self._streams.append(call)
            else:
                out += self._refused(call, refusal)
        for number, question in self._questions.take_all():
            out.append(ToLease(question.lease, cancelled(number, "the server has ended")))
        return out

    def refuse_waiting(self, refusal: Refusal) -> list[Output]:
        """The process will not be started: refuse what waits for it."""
        return [out for call in self._calls.take_waiting() for out in self._refused(call, refusal)]

    def forget_greeting(self) -> None:
        """The next process may be another version: its answers to handshakes are not known."""
        self._greeting = None
        self._discovered.clear()

    def _refused(self, call: Call, refusal: Refusal) -> list[Output]:
        if call.method == "initialize" and call.lease is None:
            self._is_greeting = False
            waiters, self._greeted = self._greeted, []
            return [ToLease(lease, refusal.answer(id)) for lease, id in waiters]
        return [] if call.lease is None else [ToLease(call.lease, refusal.answer(call.id))]

    # From a client.

    def from_lease(self, lease: LeaseId, message: Json) -> list[Output]:
        """A message of a client."""
        match jsonrpc.kind_of(message):
            case "request":
                return self._request(Call(lease, message["id"], message))
            case "notification":
                return self._notification(lease, message)
            case "answer":
                return self._answer_question(lease, message)
            case _:
                return [LogLine("dropped what a client sent: not a JSON-RPC message")]

    def _request(self, call: Call) -> list[Output]:
        assert call.lease is not None
        if self._calls.has(call.lease, call.id):
            text = f"the request id {call.id!r} is in use"
            return [ToLease(call.lease, jsonrpc.error(call.id, INVALID_REQUEST, text))]
        if self._calls.waiting >= _MOST_WAITING:
            busy = Refusal(self._server, "has too many requests waiting", "try again later")
            return [ToLease(call.lease, busy.answer(call.id))]
        local = self._local_answer(call)
        if local is not None:
            return [ToLease(call.lease, local)]
        if call.method == "initialize":
            return self._greet(call)
        self._calls.add(self._merged(call))
        return self._pump()

    def _local_answer(self, call: Call) -> Json | None:
        """The answer to a request that the server need not be asked, or started for."""
        params = call.message.get("params", {})
        match call.method:
            case "initialize" if self._greeting is not None:
                return jsonrpc.result(call.id, self._greeting)
            case "server/discover" if self._greeting is not None:
                text = "this server speaks a protocol with a handshake"
                return jsonrpc.error(call.id, jsonrpc.METHOD_NOT_FOUND, text)
            case "server/discover" if (
                known := self._discovered.get(version_of(call.message))
            ) is not None:
                return jsonrpc.result(call.id, known)
            case "ping" if self._phase == "stopped":
                return jsonrpc.result(call.id, {})
            case "resources/unsubscribe":
                return self._unsubscribe(call, params.get("uri"))
        return None

    def _unsubscribe(self, call: Call, uri: object) -> Json | None:
        assert call.lease is not None
        client = self._clients[call.lease]
        client.uris = {other for other in client.uris if other != uri}
        is_needed = isinstance(uri, str) and uri in self._uris()
        return jsonrpc.result(call.id, {}) if is_needed else None

    def _greet(self, call: Call) -> list[Output]:
        """Greet the server once for all who ask meanwhile."""
        assert call.lease is not None
        self._greeted.append((call.lease, call.id))
        if self._is_greeting:
            return []
        self._is_greeting, self._hello = True, call.message.get("params", {})
        self._calls.add(own_call("initialize", self._hello))
        return self._pump()

    def _merged(self, call: Call) -> Call:
        """A request that changes what the server sends to everybody, so that it suits everybody."""
        assert call.lease is not None
        client, params = self._clients[call.lease], call.message.get("params", {})
        if call.method == "resources/subscribe" and isinstance(uri := params.get("uri"), str):
            client.uris.add(uri)
        if call.method == "logging/setLevel" and params.get("level") in LEVELS:
            client.level = params["level"]
            return with_params(call, {**params, "level": self._level()})
        return call

    def _notification(self, lease: LeaseId, message: Json) -> list[Output]:
        params = message.get("params", {})
        match message["method"]:
            case "notifications/cancelled":
                return self._cancel(lease, params)
            case "notifications/initialized":
                return []  # the server heard it from us
            case "notifications/roots/list_changed":
                return [
                    LogLine("dropped a change of roots: a server keeps those that it was started with")
                ]
            case "notifications/progress" if not self._questions.has_any(lease):
                return []
        return [ToServer({**message, "jsonrpc": "2.0"})] if self._phase == "ready" else []

    def _cancel(self, lease: LeaseId, params: Json) -> list[Output]:
        id = params.get("requestId")
        if not jsonrpc.is_request_id(id):
            return [LogLine("dropped a cancellation that names no request")]
        number = self._calls.cancel(lease, id)
        self._streams = [call for call in self._streams if (call.lease, call.id) != (lease, id)]
        if number is None:
            return []
        out: list[Output] = [ToServer(cancelled(number, params.get("reason")))]
        return out + self._pump()

    def _answer_question(self, lease: LeaseId, message: Json) -> list[Output]:
        question = self._questions.answered(lease, jsonrpc.number_of(message["id"]))
        if question is None:
            return []  # the server has withdrawn it, or ended
        return [ToServer({**message, "jsonrpc": "2.0", "id": question.id})]

    # From the server.

    def from_server(self, message: Json) -> list[Output]:
        """A message of the server."""
        match jsonrpc.kind_of(message):
            case "answer":
                return self._answered(message)
            case "request":
                return self._question(message)
            case "notification":
                return self._notified(message)
            case _:
                return [LogLine("dropped what the server wrote: not a JSON-RPC message")]

    def _answered(self, message: Json) -> list[Output]:
        self._has_answered = True
        number = jsonrpc.number_of(message["id"])
        call = None if number is None else self._calls.close(number)
        if number is None or call is None:
            return [LogLine(f"dropped an answer to {message['id']!r:.50}, which no one is waiting for")]
        message = self._checked(message)
        if call.lease is None:
            return self._own_answer(call, message)
        if call.method == "server/discover" and "result" in message:
            self._discovered[version_of(call.message)] = message["result"]
        out: list[Output] = [ToLease(call.lease, renamed(message, number, call.id))]
        return out + self._pump()

    def _checked(self, message: Json) -> Json:
        """An answer that a client can read, whatever the server wrote."""
        match message:
            case {"result": dict()} | {"error": {"code": int(), "message": str()}}:
                return message
        malformed = Refusal(
            self._server,
            "sent an answer that is neither a result nor an error",
            f"`recollect gateway logs {self._server}` shows what else it wrote",
        )
        return malformed.answer(0)

    def _own_answer(self, call: Call, message: Json) -> list[Output]:
        if call.method != "initialize":
            return self._pump()
        waiters, self._greeted, self._is_greeting = self._greeted, [], False
        out: list[Output] = [ToLease(lease, {**message, "id": id}) for lease, id in waiters]
        self._phase = "ready"
        if "result" not in message:
            return out + self._not_greeted()
        is_first, self._greeting = self._greeting is None, message["result"]
        out.insert(0, ToServer(jsonrpc.notification("notifications/initialized")))
        if not is_first:
            self._restore()
        return out + self._pump()

    def _not_greeted(self) -> list[Output]:
        """A process that refuses the handshake of its predecessor gets none of its requests."""
        if self._greeting is None:
            return self._pump()
        self.forget_greeting()
        return self.refuse_waiting(
            Refusal(
                self._server, "refused its handshake", f"try `recollect gateway test {self._server}`"
            )
        )

    def _restore(self) -> None:
        """Ask a new process to send what the clients asked its predecessor for."""
        if level := self._level():
            self._calls.add(own_call("logging/setLevel", {"level": level}))
        for uri in sorted(self._uris()):
            self._calls.add(own_call("resources/subscribe", {"uri": uri}))

    def _question(self, message: Json) -> list[Output]:
        """Send a question of the server to the client whose call is open."""
        if message["method"] == "ping":
            return [ToServer(jsonrpc.result(message["id"], {}))]
        callers = sorted(self._calls.callers() or self._clients)
        if message["method"] == "roots/list":
            callers = callers[:1]  # all have the same roots, or they would not share the process
        if len(callers) != 1:
            return [ToServer(_refused_question(message["id"], _ambiguous(self._server, len(callers))))]
        (lease,) = callers
        number = self._questions.add(Question(lease, message["id"]))
        return [ToLease(lease, {**message, "jsonrpc": "2.0", "id": number})]

    def _notified(self, message: Json) -> list[Output]:
        params = message.get("params", {})
        message = {**message, "jsonrpc": "2.0"}
        match message["method"]:
            case "notifications/cancelled":
                return self._withdrawn(message, params)
            case "notifications/progress":
                return self._progress(message, params)
            case "notifications/message":
                return [
                    ToLease(lease, message)
                    for lease, client in self._clients.items()
                    if is_loud_enough(params.get("level"), client.level)
                ]
        meta = params.get("_meta")
        if isinstance(meta, dict) and SUBSCRIPTION in meta:
            call = self._calls.open_call(number := jsonrpc.number_of(meta[SUBSCRIPTION]))
            if number is None or call is None or call.lease is None:
                return []
            return [ToLease(call.lease, renamed(message, number, call.id))]
        return [ToLease(lease, message) for lease in self._clients]

    def _withdrawn(self, message: Json, params: Json) -> list[Output]:
        """The server withdraws a question, or ends a stream."""
        if question := self._questions.withdrawn(params.get("requestId")):
            return [ToLease(question[1].lease, with_param(message, "requestId", question[0]))]
        number = jsonrpc.number_of(params.get("requestId"))
        call = self._calls.open_call(number)
        if number is None or call is None or call.lease is None or call.method != LISTEN:
            return []
        self._calls.close(number)
        return [ToLease(call.lease, with_param(message, "requestId", call.id))]

    def _progress(self, message: Json, params: Json) -> list[Output]:
        call = self._calls.open_call(jsonrpc.number_of(params.get("progressToken")))
        if call is None or call.lease is None or call.progress_token is None:
            return []  # it came after the answer
        return [ToLease(call.lease, with_param(message, "progressToken", call.progress_token))]

    def _pump(self) -> list[Output]:
        return self._send_due() if self._phase == "ready" else []

    def _send_due(self) -> list[Output]:
        return [ToServer(call.numbered(number)) for number, call in self._calls.due()]

    def _uris(self) -> set[str]:
        return set().union(*(client.uris for client in self._clients.values()))

    def _level(self) -> str:
        """The most talkative level that a client asked for; '' when none did."""
        return most_talkative(client.level for client in self._clients.values())


def _refused_question(id: RequestId, reason: str) -> Json:
    return jsonrpc.error(id, INVALID_REQUEST, reason)


def _ambiguous(server: str, clients: int) -> str:
    if clients == 0:
        return "no client is connected"
    return (
        f"{clients} clients use the server {server!r}, and this question cannot be assigned to "
        'one of them; `"shared": false` in its entry gives every client its own process'
    )
