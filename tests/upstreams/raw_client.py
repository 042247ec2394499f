"""A client of the broker without the SDK. As a script it leases servers and waits for its end.

`python raw_client.py FOLDER LEASE...`, each LEASE a request as JSON; it prints one line when all answered.
"""

import json
import socket
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from recollect.upstreams.broker_client import open_lease
from recollect.upstreams.lease_request import LeaseRequest, parse_request
from recollect.upstreams.lines import LineBuffer

SERVER = Path(__file__).with_name("small_server.py")
SECONDS = 60.0  # the longest wait for any message


def small(folder: Path, name: str, behaviour: str = "", /, **changes: Any) -> LeaseRequest:
    """A lease of a small server, whose processes carry the folder's path."""
    fields: dict[str, Any] = {
        "name": name,
        "command": sys.executable,
        "arguments": ("-I", "-S", str(SERVER), str(folder), behaviour),
        "env": (("PATH", "/usr/bin:/bin"),),
        "folder": str(folder),
        "roots": (),
        "log": str(folder / f"{name}.log"),
        "start_seconds": 60.0,
        "idle_seconds": 0.0,
        "max_calls": 32,
    }
    return LeaseRequest(**fields | changes)


class RawClient:
    """One lease, spoken to in plain JSON-RPC."""

    def __init__(self, folder: Path, request: LeaseRequest) -> None:
        self.line: socket.socket = open_lease(folder, request)
        self.line.settimeout(SECONDS)
        self._buffer, self._lines, self._last = LineBuffer(), list[bytes](), 0
        self.others: list[dict[str, Any]] = []  # messages that were no answer to a request of ours

    def send(self, message: dict[str, Any]) -> None:
        self.line.sendall(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def receive(self) -> dict[str, Any]:
        while not self._lines:
            chunk = self.line.recv(1 << 16)
            if not chunk:
                raise ConnectionResetError("the broker has gone")
            self._lines += self._buffer.lines(chunk)
        return dict(json.loads(self._lines.pop(0)))

    def start(self, method: str, **params: Any) -> int:
        """Send a request; its id."""
        self._last += 1
        self.send({"id": self._last, "method": method, "params": params})
        return self._last

    def answer(self, id: int) -> dict[str, Any]:
        """Wait for the answer to a request; what comes before it goes to `others`."""
        while True:
            message = self.receive()
            if message.get("id") == id and "method" not in message:
                return message
            self.others.append(message)

    def request(self, method: str, **params: Any) -> dict[str, Any]:
        return self.answer(self.start(method, **params))

    def greet(self) -> "RawClient":
        answer = self.request("initialize", protocolVersion="2025-11-25", capabilities={})
        assert "result" in answer, answer
        return self

    def call(self, tool: str, **arguments: str) -> str:
        """What a tool says, or its error."""
        return self.outcome(self.request("tools/call", name=tool, arguments=arguments))

    @staticmethod
    def outcome(answer: dict[str, Any]) -> str:
        if "error" in answer:
            return str(answer["error"]["message"])
        return str(answer["result"]["content"][0]["text"])

    def close(self) -> None:
        self.line.close()


def lease_line(request: LeaseRequest) -> str:
    """A request as an argument of the script."""
    return json.dumps({"v": 1, "lease": asdict(request)})


if __name__ == "__main__":
    folder, *lines = sys.argv[1:]
    clients = []
    for text in lines:
        request = parse_request(text.encode())
        assert isinstance(request, LeaseRequest)
        client = RawClient(Path(folder), request).greet()
        client.call("children")
        clients.append(client)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.read()
