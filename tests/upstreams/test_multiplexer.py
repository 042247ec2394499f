"""Which message of one server and its many clients goes to whom, under which id."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement

from recollect.upstreams import jsonrpc
from recollect.upstreams.call_table import LeaseId
from recollect.upstreams.jsonrpc import Json
from recollect.upstreams.multiplexer import Multiplexer
from recollect.upstreams.outputs import LogLine, Output, Refusal, ToLease, ToServer

A, B = LeaseId(1), LeaseId(2)
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}}
WELCOME = {"protocolVersion": "2025-11-25", "serverInfo": {"name": "test"}}
GONE = Refusal("test", "ended with exit code 1", "look at its logs")
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"


def two_clients(max_calls: int = 8) -> Multiplexer:
    messages = Multiplexer("test", max_calls)
    messages.join(A)
    messages.join(B)
    messages.started()
    return messages


def greeted(max_calls: int = 8) -> Multiplexer:
    """Two clients of a server with a handshake."""
    messages = two_clients(max_calls)
    hello = sent(messages.from_lease(A, jsonrpc.request(0, "initialize", HELLO)))
    messages.from_server(jsonrpc.result(hello[0]["id"], WELCOME))
    return messages


def sent(outputs: list[Output]) -> list[Json]:
    return [output.message for output in outputs if isinstance(output, ToServer)]


def got(outputs: list[Output], lease: LeaseId) -> list[Json]:
    return [
        output.message for output in outputs if isinstance(output, ToLease) and output.lease == lease
    ]


def call(messages: Multiplexer, lease: LeaseId, id: str | int, **params: Any) -> int:
    """Send a request that the server gets at once; its id there."""
    (message,) = sent(messages.from_lease(lease, jsonrpc.request(id, "tools/call", params)))
    number = message["id"]
    assert isinstance(number, int)
    return number


def test_two_clients_may_use_the_same_id() -> None:
    messages = two_clients()
    first, second = call(messages, A, 1), call(messages, B, 1)
    assert first != second

    to_b = messages.from_server(jsonrpc.result(second, {"for": "b"}))
    to_a = messages.from_server(jsonrpc.result(first, {"for": "a"}))

    assert to_b == [ToLease(B, jsonrpc.result(1, {"for": "b"}))]
    assert to_a == [ToLease(A, jsonrpc.result(1, {"for": "a"}))]


def test_an_id_that_is_text_comes_back_as_text_and_a_servers_text_is_understood() -> None:
    messages = two_clients()
    number = call(messages, A, "listen-1")

    answer = messages.from_server(jsonrpc.result(str(number), {}))

    assert got(answer, A)[0]["id"] == "listen-1"


def test_an_id_that_is_in_use_is_refused() -> None:
    messages = two_clients()
    call(messages, A, 1)

    (refused,) = got(messages.from_lease(A, jsonrpc.request(1, "tools/list")), A)

    assert "in use" in refused["error"]["message"]


def test_progress_reaches_the_client_under_its_own_token() -> None:
    messages = two_clients()
    call(messages, A, 1, _meta={"progressToken": 1, "other": "x"})
    (at_server,) = sent(
        messages.from_lease(B, jsonrpc.request(1, "tools/call", {"_meta": {"progressToken": 1}}))
    )
    token = at_server["params"]["_meta"]["progressToken"]

    report = messages.from_server(
        jsonrpc.notification("notifications/progress", {"progressToken": token, "progress": 0.5})
    )

    params = {"progressToken": 1, "progress": 0.5}
    assert report == [ToLease(B, jsonrpc.notification("notifications/progress", params))]


def test_progress_after_the_answer_goes_nowhere() -> None:
    messages = two_clients()
    number = call(messages, A, 1, _meta={"progressToken": 1})
    messages.from_server(jsonrpc.result(number, {}))

    assert not messages.from_server(
        jsonrpc.notification("notifications/progress", {"progressToken": number, "progress": 1})
    )


def test_a_cancellation_names_the_request_as_the_server_knows_it() -> None:
    messages = two_clients()
    call(messages, A, 5)
    number = call(messages, B, 5)

    cancelled = {"requestId": 5, "reason": "enough"}
    out = messages.from_lease(B, jsonrpc.notification("notifications/cancelled", cancelled))

    assert sent(out)[0]["params"] == {"requestId": number, "reason": "enough"}
    assert messages.open_calls == 1


def test_a_client_that_goes_has_its_requests_cancelled_and_no_others() -> None:
    messages = two_clients()
    gone, stays = call(messages, A, 1), call(messages, B, 1)

    out = messages.leave(A)

    assert [message["params"]["requestId"] for message in sent(out)] == [gone]
    assert got(messages.from_server(jsonrpc.result(stays, {})), B)
    assert messages.is_idle


@requirement("gateway:broker:shared")
def test_the_server_is_greeted_once_for_all() -> None:
    messages = two_clients()
    (hello,) = sent(messages.from_lease(A, jsonrpc.request(7, "initialize", HELLO)))
    assert messages.from_lease(B, jsonrpc.request(9, "initialize", HELLO)) == []

    out = messages.from_server(jsonrpc.result(hello["id"], WELCOME))

    assert sent(out) == [jsonrpc.notification("notifications/initialized")]
    assert got(out, A) == [jsonrpc.result(7, WELCOME)]
    assert got(out, B) == [jsonrpc.result(9, WELCOME)]
    assert messages.from_lease(B, jsonrpc.notification("notifications/initialized")) == []


def test_a_later_client_is_greeted_without_the_server_being_started() -> None:
    messages = greeted()
    messages.ended(GONE)

    answer = messages.from_lease(B, jsonrpc.request(3, "initialize", HELLO))
    probe = messages.from_lease(B, jsonrpc.request(4, "server/discover"))

    assert got(answer, B) == [jsonrpc.result(3, WELCOME)]
    assert got(probe, B)[0]["error"]["code"] == jsonrpc.METHOD_NOT_FOUND
    assert not messages.wants_server


def test_a_refused_greeting_is_refused_to_all_and_can_be_tried_again() -> None:
    messages = two_clients()
    (hello,) = sent(messages.from_lease(A, jsonrpc.request(1, "initialize", HELLO)))
    messages.from_lease(B, jsonrpc.request(1, "initialize", HELLO))

    out = messages.from_server(jsonrpc.error(hello["id"], -32022, "too old"))

    assert got(out, A)[0]["error"] == got(out, B)[0]["error"] == {"code": -32022, "message": "too old"}
    assert sent(messages.from_lease(A, jsonrpc.request(2, "initialize", HELLO)))


def test_what_a_server_discovers_is_known_to_the_next_client() -> None:
    messages = two_clients()
    meta = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}
    (probe,) = sent(messages.from_lease(A, jsonrpc.request(1, "server/discover", meta)))
    messages.from_server(jsonrpc.result(probe["id"], {"supportedVersions": ["2026-07-28"]}))

    out = messages.from_lease(B, jsonrpc.request(1, "server/discover", meta))

    assert out == [ToLease(B, jsonrpc.result(1, {"supportedVersions": ["2026-07-28"]}))]


def test_a_new_process_is_greeted_and_told_what_the_clients_want_before_it_gets_requests() -> None:
    messages = greeted()
    for method, params in (
        ("logging/setLevel", {"level": "info"}),
        ("resources/subscribe", {"uri": "file:///a"}),
    ):
        (request,) = sent(messages.from_lease(A, jsonrpc.request(method, method, params)))
        messages.from_server(jsonrpc.result(request["id"], {}))
    messages.ended(GONE)
    assert messages.from_lease(B, jsonrpc.request(8, "tools/list")) == []
    assert messages.wants_server

    (hello,) = sent(messages.started())
    assert (hello["method"], hello["params"]) == ("initialize", HELLO)
    out = sent(messages.from_server(jsonrpc.result(hello["id"], WELCOME)))

    assert [(message["method"], message["params"]) for message in out] == [
        ("notifications/initialized", {}),
        ("tools/list", {}),
        ("logging/setLevel", {"level": "info"}),
        ("resources/subscribe", {"uri": "file:///a"}),
    ]


def test_a_new_process_that_refuses_the_handshake_gets_no_requests() -> None:
    messages = greeted()
    messages.ended(GONE)
    messages.from_lease(B, jsonrpc.request(8, "tools/list"))
    (hello,) = sent(messages.started())

    out = messages.from_server(jsonrpc.error(hello["id"], -32600, "no"))

    assert sent(out) == []
    assert "refused its handshake" in got(out, B)[0]["error"]["message"]


def test_what_is_open_when_the_server_ends_is_refused_with_its_name_and_a_remedy() -> None:
    messages = two_clients()
    call(messages, A, 1)
    call(messages, B, 2)

    out = messages.ended(GONE)

    assert got(out, A)[0]["error"]["message"] == (
        "the server 'test' ended with exit code 1; look at its logs."
    )
    assert got(out, B)[0]["id"] == 2
    assert got(out, B)[0]["error"]["data"]["server"] == "test"


def test_requests_over_the_limit_wait_their_turn() -> None:
    messages = two_clients(max_calls=2)
    first, _ = call(messages, A, 1), call(messages, A, 2)
    assert sent(messages.from_lease(A, jsonrpc.request(3, "tools/call"))) == []
    assert sent(messages.from_lease(B, jsonrpc.request(1, "tools/call"))) == []

    out = messages.from_server(jsonrpc.result(first, {}))

    assert len(sent(out)) == 1
    assert messages.open_calls == 2


def test_a_request_that_waits_can_be_cancelled() -> None:
    messages = two_clients(max_calls=1)
    first = call(messages, A, 1)
    messages.from_lease(B, jsonrpc.request(1, "tools/call"))
    messages.from_lease(B, jsonrpc.notification("notifications/cancelled", {"requestId": 1}))

    assert sent(messages.from_server(jsonrpc.result(first, {}))) == []


def test_a_question_goes_to_the_client_whose_call_is_open_and_the_answer_back() -> None:
    messages = two_clients()
    call(messages, B, 1)

    out = messages.from_server(jsonrpc.request(41, "sampling/createMessage", {"x": 1}))
    (question,) = got(out, B)
    answer = messages.from_lease(B, jsonrpc.result(question["id"], {"text": "yes"}))

    assert question["params"] == {"x": 1}
    assert answer == [ToServer(jsonrpc.result(41, {"text": "yes"}))]


def test_an_answer_of_a_client_that_was_not_asked_is_dropped() -> None:
    messages = two_clients()
    call(messages, B, 1)
    (question,) = got(messages.from_server(jsonrpc.request(41, "elicitation/create")), B)

    assert messages.from_lease(A, jsonrpc.result(question["id"], {"text": "forged"})) == []


def test_a_question_that_could_be_anybodys_is_refused_with_the_remedy() -> None:
    messages = two_clients()
    call(messages, A, 1)
    call(messages, B, 1)

    (refused,) = sent(messages.from_server(jsonrpc.request(41, "elicitation/create")))

    assert refused["id"] == 41
    assert '"shared": false' in refused["error"]["message"]


def test_roots_are_asked_of_any_client_because_all_have_the_same() -> None:
    out = two_clients().from_server(jsonrpc.request("r", "roots/list"))

    assert len(got(out, A)) + len(got(out, B)) == 1


def test_a_ping_of_the_server_is_answered_here() -> None:
    assert two_clients().from_server(jsonrpc.request(1, "ping")) == [ToServer(jsonrpc.result(1, {}))]


def test_a_question_is_withdrawn_when_the_server_says_so_or_ends() -> None:
    messages = two_clients()
    call(messages, A, 1)
    (first,) = got(messages.from_server(jsonrpc.request(41, "elicitation/create")), A)
    (second,) = got(messages.from_server(jsonrpc.request(42, "elicitation/create")), A)

    one = messages.from_server(jsonrpc.notification("notifications/cancelled", {"requestId": 41}))
    rest = messages.ended(GONE)

    assert got(one, A)[0]["params"]["requestId"] == first["id"]
    assert got(rest, A)[-1]["params"]["requestId"] == second["id"]


def test_a_question_to_a_client_that_goes_is_refused() -> None:
    messages = two_clients()
    call(messages, A, 1)
    messages.from_server(jsonrpc.request(41, "elicitation/create"))

    refused = sent(messages.leave(A))[-1]

    assert (refused["id"], refused["error"]["message"]) == (41, "the client is gone")


@pytest.mark.parametrize(
    "method",
    ["notifications/tools/list_changed", "notifications/resources/updated", "notifications/new"],
)
def test_what_belongs_to_no_request_reaches_everybody(method: str) -> None:
    out = two_clients().from_server(jsonrpc.notification(method, {"uri": "file:///a"}))

    assert got(out, A) == got(out, B) == [jsonrpc.notification(method, {"uri": "file:///a"})]


def test_the_server_logs_for_the_most_talkative_and_each_client_gets_what_it_asked_for() -> None:
    messages = two_clients()
    messages.from_lease(A, jsonrpc.request(1, "logging/setLevel", {"level": "debug"}))
    (at_server,) = sent(
        messages.from_lease(B, jsonrpc.request(1, "logging/setLevel", {"level": "error"}))
    )

    out = messages.from_server(jsonrpc.notification("notifications/message", {"level": "info"}))

    assert at_server["params"] == {"level": "debug"}
    assert (len(got(out, A)), len(got(out, B))) == (1, 0)


def test_a_subscription_lasts_as_long_as_one_client_has_it() -> None:
    messages = two_clients()
    for lease in (A, B):
        messages.from_lease(lease, jsonrpc.request(1, "resources/subscribe", {"uri": "u"}))

    first = messages.from_lease(A, jsonrpc.request(2, "resources/unsubscribe", {"uri": "u"}))
    last = messages.leave(B)

    assert first == [ToLease(A, jsonrpc.result(2, {}))]
    assert ("resources/unsubscribe", {"uri": "u"}) in [
        (message["method"], message["params"]) for message in sent(last)
    ]


def test_a_stream_of_events_is_named_by_its_own_client_and_survives_a_restart() -> None:
    messages = two_clients()
    listen = jsonrpc.request("listen-1", "subscriptions/listen", {"notifications": {}})
    (first,) = sent(messages.from_lease(A, listen))
    (other,) = sent(messages.from_lease(B, listen))
    assert messages.is_idle

    event = jsonrpc.notification(
        "notifications/tools/list_changed", {"_meta": {SUBSCRIPTION: other["id"]}}
    )
    out = messages.from_server(event)
    assert got(out, A) == []
    assert got(out, B)[0]["params"]["_meta"] == {SUBSCRIPTION: "listen-1"}

    assert messages.ended(GONE) == []
    assert not messages.wants_server
    again = sent(messages.started())
    assert [message["method"] for message in again] == ["subscriptions/listen"] * 2
    assert first["id"] not in {message["id"] for message in again}
    end = messages.from_server(
        jsonrpc.result(again[0]["id"], {"_meta": {SUBSCRIPTION: again[0]["id"]}})
    )
    assert got(end, A)[0] == jsonrpc.result("listen-1", {"_meta": {SUBSCRIPTION: "listen-1"}})


@pytest.mark.parametrize(
    "answer", [{"result": "text"}, {"result": None}, {"error": "text"}, {"error": {"code": "x"}}]
)
def test_a_malformed_answer_becomes_an_error_that_names_the_server(answer: Json) -> None:
    messages = two_clients()
    number = call(messages, A, 1)

    (refused,) = got(messages.from_server({"jsonrpc": "2.0", "id": number} | answer), A)

    assert refused["id"] == 1
    assert "the server 'test' sent an answer" in refused["error"]["message"]
    assert "recollect gateway logs test" in refused["error"]["message"]


def test_an_answer_for_which_nobody_waits_is_noted() -> None:
    messages = two_clients()
    number = call(messages, A, 1)

    (note,) = messages.from_server(jsonrpc.result(number + 7, {}))

    assert isinstance(note, LogLine)
    assert got(messages.from_server(jsonrpc.result(number, {})), A)


def test_a_silent_server_is_one_that_owes_its_first_answer() -> None:
    messages = two_clients()
    silent = [messages.is_silent]
    number = call(messages, A, 1)
    silent.append(messages.is_silent)
    messages.from_server(jsonrpc.notification("notifications/message", {"level": "info"}))
    silent.append(messages.is_silent)
    messages.from_server(jsonrpc.result(number, {}))
    call(messages, A, 2)

    assert [*silent, messages.is_silent] == [False, True, True, False]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
METHODS = st.sampled_from(
    [
        "initialize",
        "ping",
        "tools/call",
        "server/discover",
        "logging/setLevel",
        "resources/subscribe",
        "roots/list",
        "resources/unsubscribe",
        "subscriptions/listen",
        "notifications/cancelled",
        "notifications/progress",
        "notifications/message",
        "notifications/initialized",
        "notifications/tools/list_changed",
    ]
)
PARAMS = st.fixed_dictionaries(
    {},
    optional={
        "requestId": st.integers(0, 9) | JSON,
        "progressToken": st.integers(0, 9) | JSON,
        "uri": JSON,
        "level": JSON,
        "_meta": JSON | st.fixed_dictionaries({}, optional={SUBSCRIPTION: JSON, "progressToken": JSON}),
    },
)
MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "id": st.integers(0, 9) | JSON,
        "method": METHODS | JSON,
        "params": PARAMS | JSON,
        "result": JSON,
        "error": JSON,
    },
)
STEPS = st.lists(
    st.tuples(st.sampled_from(["server", "client", "restart"]), MESSAGES), min_size=1, max_size=30
)


@given(STEPS)
def test_whatever_anybody_writes_the_other_clients_call_is_answered(
    steps: list[tuple[str, Json]],
) -> None:
    """B calls; A and the server write nonsense, A leaves; B's call comes back, or is refused."""
    messages = two_clients(max_calls=100)
    number = call(messages, B, "mine")
    answers: list[Json] = []
    for who, message in steps:
        match who:
            case "client":
                out = messages.from_lease(A, message)
            case "restart":
                out = messages.ended(GONE) + messages.started()
            case _:
                out = messages.from_server(message)
        for output in out:
            if isinstance(output, ToServer | ToLease):
                assert jsonrpc.kind_of(output.message) is not None
                jsonrpc.written(output.message)
        answers += [message for message in got(out, B) if message.get("id") == "mine"]
    messages.leave(A)
    answers += [
        message
        for message in got(messages.from_server(jsonrpc.result(number, {"ok": 1})), B)
        if message.get("id") == "mine"
    ]

    assert len(answers) == 1


@given(st.data())
def test_every_client_gets_exactly_its_own_answers(data: st.DataObject) -> None:
    clients = [LeaseId(number) for number in range(4)]
    messages = Multiplexer("test", max_calls=data.draw(st.integers(1, 5)))
    for lease in clients:
        messages.join(lease)
    requests = [(lease, id) for lease in clients for id in (1, "1", 2)]
    order = data.draw(st.permutations(requests))
    at_server: list[Json] = sent(messages.started())
    received: list[tuple[LeaseId, str | int, Any]] = []
    for lease, id in order:
        at_server += sent(
            messages.from_lease(lease, jsonrpc.request(id, "tools/call", {"of": [lease, id]}))
        )
    while at_server:
        request = at_server.pop(data.draw(st.integers(0, len(at_server) - 1)))
        out = messages.from_server(jsonrpc.result(request["id"], request["params"]))
        at_server += sent(out)
        received += [
            (output.lease, output.message["id"], output.message["result"]["of"])
            for output in out
            if isinstance(output, ToLease)
        ]

    assert sorted(received, key=repr) == sorted(
        ((lease, id, [lease, id]) for lease, id in requests), key=repr
    )
    assert messages.is_idle
