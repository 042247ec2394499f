"""An MCP server of the standard library, run as a script: starts fast, and misbehaves when asked to.

`python small_server.py MARK [BEHAVIOUR]`. Its tools are named after what they do.
"""

import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

SCHEMA = {"type": "object", "properties": {}}

CACHEABLE = {"resultType": "complete", "ttlMs": 0, "cacheScope": "public"}
MODERN = ["2026-07-28"]
REFUSED = {
    "error": {"code": -32022, "message": "too old", "data": {"supported": MODERN, "requested": ""}}
}
DISCOVERED = {
    "result": {
        "supportedVersions": MODERN,
        "capabilities": {"tools": {}},
        **CACHEABLE,
    }
}

questions = itertools.count(1)
state = {"text": ""}
changes: list[int] = []


def write(message: dict[str, object]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def text(id: object, value: object) -> None:
    content = [{"type": "text", "text": str(value)}]
    write({"id": id, "result": {"content": content, "resultType": "complete"}})


def ask(method: str) -> dict[str, object]:
    """Ask the client, and wait for its answer."""
    id = f"q{next(questions)}"
    write({"id": id, "method": method, "params": {"message": "?", "requestedSchema": SCHEMA}})
    for line in sys.stdin:
        answer = json.loads(line)
        if answer.get("id") == id:
            return dict(answer)
    sys.exit(0)


def read(path: str) -> str:
    """Read a file below the roots, as the filesystem server does."""
    roots = ask("roots/list")["result"]["roots"]  # type: ignore[index]
    allowed = [root["uri"].removeprefix("file://") for root in roots]
    if not any(path.startswith(root + "/") for root in allowed):
        return f"denied: {path} is outside of {allowed}"
    return Path(path).read_text()


def die() -> None:
    sys.stderr.write("out of luck\n")
    sys.stderr.flush()
    os._exit(3)


def nonsense() -> str:
    sys.stdout.write('not json\n{}\n[1]\n{"jsonrpc": "2.0"}\n')
    return "after nonsense"


def flood() -> str:
    for _ in range(3000):
        sys.stderr.write("x" * 999 + "\n")
    return "flooded"


def change() -> str:
    changes.append(1)
    write({"method": "notifications/tools/list_changed"})
    return "changed"


def remember(text: str) -> str:
    before, state["text"] = state["text"], text
    return before


def start_children() -> str:
    """Start processes that end with nobody, one of them in a session of its own."""
    sleep = "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(600)"
    for is_apart in (True, False):
        subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", sleep, sys.argv[1]], start_new_session=is_apart
        )
    return "started"


TOOLS: dict[str, Callable[..., object]] = {
    "pid": os.getpid,
    "variable": lambda name: os.environ.get(name, ""),
    "remember": remember,
    "read": read,
    "ask": lambda: json.dumps(ask("elicitation/create")),
    "die": die,
    "large": lambda: "x" * 300_000,
    "nonsense": nonsense,
    "flood": flood,
    "change": change,
    "children": start_children,
}


def listed(behaviour: str) -> list[str]:
    """The names of the tools that `tools/list` shows: `shows` all of them, `crowds` 500 more."""
    if behaviour not in ("shows", "crowds"):
        return ["pid"]
    more = [f"tool_{number + len(changes)}" for number in range(500)] if behaviour == "crowds" else []
    return [*TOOLS, "hang", "wrong_id", *more]


def call(id: object, name: str, arguments: dict[str, str]) -> None:
    if name == "wrong_id":
        text(999_999, "for nobody")
    elif name != "hang":
        text(id, TOOLS[name](**arguments))


def main(behaviour: str) -> None:
    if behaviour == "dies":
        sys.stderr.write("no licence found\n")
        sys.exit(1)
    if behaviour == "hangs":
        time.sleep(600)
    while behaviour == "talks":
        sys.stdout.write("not json\n")
    for line in sys.stdin:
        message = json.loads(line)
        id, method = message.get("id"), message.get("method")
        if behaviour == "modern" and method in ("initialize", "server/discover"):
            write({"id": id} | (REFUSED if method == "initialize" else DISCOVERED))
        elif method == "initialize":
            server = {"name": "small", "version": "1"}
            capabilities = {"tools": {"listChanged": True}}
            result = {
                "protocolVersion": "2025-11-25",
                "capabilities": capabilities,
                "serverInfo": server,
            }
            write({"id": id, "result": result})
        elif method == "tools/list":
            rows = [{"name": name, "inputSchema": {"type": "object"}} for name in listed(behaviour)]
            write({"id": id, "result": {"tools": rows} | CACHEABLE})
        elif method == "tools/call":
            call(id, message["params"]["name"], message["params"].get("arguments") or {})
        elif id is not None and method:
            write({"id": id, "error": {"code": -32601, "message": f"no {method}"}})
    if behaviour == "stubborn":
        time.sleep(600)


if __name__ == "__main__":
    main(sys.argv[2] if len(sys.argv) > 2 else "")
