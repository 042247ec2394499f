"""How messages change on their way between one server and many clients. Pure."""

from collections.abc import Iterable, Sequence

from recollect.upstreams import jsonrpc
from recollect.upstreams.jsonrpc import Json, RequestId

SUBSCRIPTION = (
    "io.modelcontextprotocol/subscriptionId"  # of a message of a stream: the id of its request
)
_VERSION = "io.modelcontextprotocol/protocolVersion"
LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


def most_talkative(levels: Iterable[str | None]) -> str:
    """The level that includes all of them; '' when there is none."""
    known: Sequence[str] = [level for level in levels if level is not None]
    return min(known, key=LEVELS.index, default="")


def is_loud_enough(level: object, least: str | None) -> bool:
    """Whether a client that asked for `least` wants a line of this level."""
    if least is None or level not in LEVELS:
        return True
    return LEVELS.index(str(level)) >= LEVELS.index(least)


def version_of(message: Json) -> str:
    """The protocol version that a request names; '' for none."""
    meta = message.get("params", {}).get("_meta")
    return str(meta.get(_VERSION)) if isinstance(meta, dict) else ""


def cancelled(id: RequestId, reason: object) -> Json:
    """Word that nobody waits for a request any more."""
    return jsonrpc.notification(
        "notifications/cancelled", {"requestId": id, "reason": str(reason or "")}
    )


def with_param(message: Json, key: str, value: RequestId) -> Json:
    """A message with another value of one parameter."""
    return {**message, "params": {**message["params"], key: value}}


def renamed(message: Json, number: int, id: RequestId) -> Json:
    """A message about a request, with the client's id in place of ours; streams name it in `_meta` too."""
    renamed = {**message, "jsonrpc": "2.0"} | ({"id": id} if "id" in message else {})
    for key in ("result", "params"):
        body = renamed.get(key)
        if not isinstance(body, dict):
            continue
        meta = body.get("_meta")
        if isinstance(meta, dict) and jsonrpc.number_of(meta.get(SUBSCRIPTION)) == number:
            renamed[key] = {**body, "_meta": {**meta, SUBSCRIPTION: id}}
    return renamed
