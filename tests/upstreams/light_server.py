"""A server of the standard library whose tools are functions: it starts at once, the SDK takes a second.

A script imports `tool`, `serve` and `cancelled`; `tests.upstreams.servers.light_entry` runs it.
"""

import inspect
import json
import sys
import threading
from collections.abc import Callable
from typing import Any, get_args, get_origin

_TYPES = {int: "integer", float: "number", str: "string", bool: "boolean", dict: "object"}
_FUNCTIONS: dict[str, Callable[..., Any]] = {}
_TOOLS: list[dict[str, Any]] = []
_WRITING = threading.Lock()
_CANCELLED: dict[Any, threading.Event] = {}
_CALL = threading.local()


def tool(
    function: Callable[..., Any] | None = None, *, read_only: bool | None = None
) -> Callable[..., Any]:
    """Declare a tool: its name and schemas are the function's, its description is the docstring."""
    if function is None:
        return lambda declared: tool(declared, read_only=read_only)
    signature = inspect.signature(function)
    declared: dict[str, Any] = {
        "name": function.__name__,
        "description": function.__doc__ or "",
        "inputSchema": {
            "type": "object",
            "properties": {name: _schema(one.annotation) for name, one in signature.parameters.items()},
            "required": [
                name
                for name, one in signature.parameters.items()
                if one.default is inspect.Parameter.empty
            ],
        },
    }
    if signature.return_annotation is not inspect.Signature.empty:
        result = {"result": _schema(signature.return_annotation)}
        declared["outputSchema"] = {"type": "object", "properties": result, "required": ["result"]}
    if read_only is not None:
        declared["annotations"] = {"readOnlyHint": read_only}
    _TOOLS.append(declared)
    _FUNCTIONS[function.__name__] = function
    return function


def serve() -> None:
    """Answer requests until standard input ends. Calls run in threads of their own."""
    for line in sys.stdin:
        request = json.loads(line)
        if request["method"] == "notifications/cancelled":
            _CANCELLED[request["params"]["requestId"]].set()
        elif "id" in request:
            _CANCELLED[request["id"]] = threading.Event()
            threading.Thread(target=_answer, args=(request,), daemon=True).start()


def cancelled(seconds: float) -> bool:
    """Wait until the client cancels this call; false when it does not within these seconds."""
    return _CANCELLED[_CALL.id].wait(seconds)


def _answer(request: dict[str, Any]) -> None:
    _CALL.id = request["id"]
    answer = {"jsonrpc": "2.0", "id": request["id"], **_outcome(request)}
    with _WRITING:
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _outcome(request: dict[str, Any]) -> dict[str, Any]:
    match request["method"]:
        case "initialize":
            about = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}}
            return {"result": about | {"serverInfo": {"name": "light", "version": "1"}}}
        case "tools/list":
            return {"result": {"tools": _TOOLS}}
        case "tools/call":
            return {"result": _result(request["params"])}
        case "ping":
            return {"result": {}}
        case method:
            return {"error": {"code": -32601, "message": f"no method {method}"}}


def _result(params: dict[str, Any]) -> dict[str, Any]:
    """What a function returns, as text and as data; a result of MCP is passed as it is."""
    function = _FUNCTIONS[params["name"]]
    try:
        value = function(**params.get("arguments") or {})
    except Exception as error:
        return {"content": [{"type": "text", "text": str(error)}], "isError": True}
    if inspect.signature(function).return_annotation is inspect.Signature.empty:
        return dict(value)
    text = value if isinstance(value, str) else json.dumps(value)
    return {"content": [{"type": "text", "text": text}], "structuredContent": {"result": value}}


def _schema(annotation: Any) -> dict[str, Any]:
    if get_origin(annotation) is list:
        return {"type": "array", "items": _schema(get_args(annotation)[0])}
    return {"type": _TYPES[get_origin(annotation) or annotation]}
