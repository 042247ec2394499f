"""JSON-RPC as MCP writes it: one object per line. Lines in, checked objects out, and the other way."""

import json
from typing import Any, Literal, TypeGuard

Json = dict[str, Any]
Kind = Literal["request", "notification", "answer"]
RequestId = str | int

CONNECTION_CLOSED, INVALID_REQUEST, METHOD_NOT_FOUND = -32000, -32600, -32601


def parse(line: bytes) -> Json:
    """The message of a line. Raises ValueError that says what is wrong with it."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError("a line that is not valid JSON") from None
    if not isinstance(message, dict) or kind_of(message) is None:
        raise ValueError("a line that is not a JSON-RPC message")
    return message


def written(message: Json) -> bytes:
    """A message as a line. Half a surrogate pair has no UTF-8, so it is escaped as its sender did."""
    try:
        return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def kind_of(message: Json) -> Kind | None:
    """What a message is; None when it is none."""
    has_id, method, params = "id" in message, message.get("method"), message.get("params", {})
    if method is None:
        answers = ("result" in message) + ("error" in message)
        return "answer" if has_id and answers == 1 else None
    if not isinstance(method, str) or not isinstance(params, dict):
        return None
    if not has_id:
        return "notification"
    return "request" if is_request_id(message["id"]) else None


def is_request_id(value: object) -> TypeGuard[RequestId]:
    """Whether a value may name a request; true and false are numbers in Python only."""
    return isinstance(value, str | int) and not isinstance(value, bool)


def number_of(value: object) -> int | None:
    """A request id of ours as a server returned it; some return numbers as text."""
    if isinstance(value, str) and value.isdecimal() and len(value) < 20:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def request(id: RequestId, method: str, params: Json | None = None) -> Json:
    """A request."""
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params or {}}


def notification(method: str, params: Json | None = None) -> Json:
    """A notification."""
    return {"jsonrpc": "2.0", "method": method, "params": params or {}}


def result(id: RequestId, value: Json) -> Json:
    """The answer to a request."""
    return {"jsonrpc": "2.0", "id": id, "result": value}


def error(id: RequestId, code: int, message: str, data: Json | None = None) -> Json:
    """The refusal of a request."""
    body: Json = {"code": code, "message": message}
    return {"jsonrpc": "2.0", "id": id, "error": body | ({"data": data} if data else {})}
