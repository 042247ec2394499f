"""A `recollect web` of its own process, and clients that send what no library would."""

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from tests.server.running import WAIT

from recollect.views.web import WebOutput


@dataclass(frozen=True, slots=True)
class Served:
    """A running `recollect web`."""

    process: "subprocess.Popen[str]"
    out: WebOutput

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.out["port"]), timeout=WAIT)

    def ask(self, target: str, *headers: str) -> str:
        """Send a request whose target nothing has tidied; the whole answer."""
        with self.connect() as client:
            lines = (f"GET {target} HTTP/1.1", *self.head, *headers, "Connection: close")
            client.sendall("\r\n".join([*lines, "", ""]).encode())
            return b"".join(iter(lambda: client.recv(65_536), b"")).decode()

    @property
    def head(self) -> tuple[str, str]:
        return f"Host: 127.0.0.1:{self.out['port']}", f"Authorization: Bearer {self.out['token']}"

    def listen(self, *headers: str) -> "Stream":
        """A stream of changes, whose first event has come; those that hung up make room for it."""
        lines, until = ("GET /api/events HTTP/1.1", *self.head, *headers), time.monotonic() + WAIT
        while time.monotonic() < until:
            stream = Stream(self.connect())
            stream.client.sendall("\r\n".join([*lines, "", ""]).encode())
            if "event: ready" in stream.read_until("event: ready", "HTTP/1.1 503"):
                return stream
            stream.client.close()
        raise AssertionError("no stream was free")


@dataclass(slots=True)
class Stream:
    """An open stream of changes, and all that has come of it."""

    client: socket.socket
    text: str = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()

    def read_until(self, *texts: str) -> str:
        """What has come once one of these texts is there."""
        until = time.monotonic() + WAIT
        while not any(text in self.text for text in texts):
            piece = self.client.recv(65_536).decode()
            assert piece, self.text
            assert time.monotonic() < until, self.text
            self.text += piece
        return self.text


@contextmanager
def serving(folder: Path, env: dict[str, str], python: str = sys.executable) -> Iterator[Served]:
    command = [python, "-m", "recollect", "web", "--port", "0", "--json"]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=folder, env=env, text=True, **streams) as process:  # type: ignore[call-overload]
        try:
            yield Served(process, json.loads("".join(iter(process.stdout.readline, "}\n")) + "}"))
        finally:
            process.kill()
