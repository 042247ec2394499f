"""The warm path: while the project's MCP server runs, it has the model loaded, and may be asked.

Only ids are taken from it; what a prompt is told of them comes from our own index. A socket that is
absent, slow, stale, someone else's or talks nonsense means None, and the hook answers by itself.
"""

import json
import os
import socket
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

SOCKET = "hook.sock"
SECONDS = 0.05
_MOST_ANSWER = 64 * 1024
_MOST_TEXT = 20_000


@dataclass(frozen=True, slots=True)
class Warm:
    """What the server would give: ids, and how sure it is of them."""

    ids: tuple[str, ...]
    probability: float


def ask(state: Path, text: str, files: Sequence[str]) -> Warm | None:
    """Ask the running server what this prompt should be given; None when it cannot be asked."""
    path = state / SOCKET
    try:
        told = path.lstat()
        if not stat.S_ISSOCK(told.st_mode) or told.st_uid != os.getuid() or told.st_mode & 0o077:
            return None
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(SECONDS)
            line.connect(str(path))
            asked = {"v": 1, "text": text[:_MOST_TEXT], "files": list(files)[:20]}
            line.sendall(json.dumps(asked).encode() + b"\n")
            return _understood(_line(line))
    except (OSError, ValueError):
        return None


def _line(line: socket.socket) -> bytes:
    answer = b""
    while not answer.endswith(b"\n"):
        part = line.recv(8192)
        if not part or len(answer) > _MOST_ANSWER:
            raise ValueError("no whole answer")
        answer += part
    return answer


def _understood(answer: bytes) -> Warm | None:
    told = json.loads(answer)
    if not isinstance(told, dict) or told.get("v") != 1 or not isinstance(told.get("hits"), list):
        return None
    ids = [hit.get("id") for hit in told["hits"] if isinstance(hit, dict)]
    probability = told.get("probability")
    sure = float(probability) if isinstance(probability, int | float) else 0.0
    return Warm(tuple(id for id in ids if isinstance(id, str))[:20], sure)
