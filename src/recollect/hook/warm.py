"""The warm path: while the project's MCP server runs, it has the model loaded, and may be asked.

Only ids are taken from it; what a prompt is told of them comes from our own index. A socket that is
absent, slow, stale, someone else's or talks nonsense means None, and the hook answers by itself.
"""

import json
import os
import stat
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.errors import RefusedError
from recollect.ids import UnifiedId, parse_unified

if TYPE_CHECKING:
    import socket

SOCKET = "hook.sock"
SECONDS = 0.05
_MOST_ANSWER = 64 * 1024
_MOST_TEXT = 15_000  # characters, of at most four bytes: the server reads 64 KB


@dataclass(frozen=True, slots=True)
class Warm:
    """What the server would give: ids, and how sure it is of them."""

    ids: tuple[UnifiedId, ...]
    probability: float


def ask(state: Path, text: str, files: Sequence[str]) -> Warm | None:
    """Ask the running server what this prompt should be given; None when it cannot be asked."""
    path = state / SOCKET
    until = time.monotonic() + SECONDS
    try:
        told = path.lstat()
        if not stat.S_ISSOCK(told.st_mode) or told.st_uid != os.getuid() or told.st_mode & 0o077:
            return None
        import socket  # noqa: PLC0415 - only when there is somebody to ask

        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(SECONDS)
            line.connect(str(path))
            asked = {"v": 1, "text": text[:_MOST_TEXT], "files": list(files)[:20]}
            line.sendall(json.dumps(asked, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
            return _understood(_line(line, until))
    except (OSError, ValueError, RecursionError, RefusedError):
        return None


def _line(line: "socket.socket", until: float) -> bytes:
    """The answer, if all of it comes in time: one that drips would be in time for ever."""
    answer = b""
    while not answer.endswith(b"\n"):
        left = until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        line.settimeout(left)
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
    known = tuple(parse_unified(id) for id in ids if isinstance(id, str))
    probability = told.get("probability")
    if not isinstance(probability, int | float) or not 0 <= probability <= 1:  # nor is NaN
        return None
    return Warm(known[:20], float(probability))
