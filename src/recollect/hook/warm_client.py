"""The warm path: ask the project's MCP server, which has the model loaded, while it runs.

Only ids are taken from it; their titles come from the hook's own index. If the socket is absent, slow,
stale, another user's or answers nonsense, the result is None and the hook searches without the server.
"""

from __future__ import annotations

import json
import os
import socket
import stat
import time

from recollect.errors import RefusedError
from recollect.hook.process import SERVER_WAIT
from recollect.ids import parse_unified
from recollect.paths import HOOK_SOCKET
from recollect.values import Frozen
from recollect.working.session_state import GateScoring

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from recollect.ids import UnifiedId

_MOST_ANSWER = 64 * 1024
MOST_TEXT = 15_000  # characters, of at most four bytes: the server reads 64 KB
MOST_SESSION = 200  # characters of a session's id
_MOST_NUMBERS, _LARGEST = 40, 1e9  # of signals and parameters that are taken from a server
_PATH_BYTES = 103  # what AF_UNIX takes on every system, less the closing zero


class WarmAnswer(Frozen):
    """What the server would give: ids, how sure it is of them, and how the gate judged them."""

    ids: tuple[UnifiedId, ...]
    probability: float
    scoring: GateScoring | None = None


def ask(
    state: str, text: str, files: Sequence[str], session: str = "", seconds: float = SERVER_WAIT
) -> WarmAnswer | None:
    """Ask the running server which memories this prompt should get; None when it does not answer in time.

    `session` is the one whose attention counts; '' for none.
    """
    path = os.path.join(state, HOOK_SOCKET)
    until = time.monotonic() + seconds
    try:
        if not _is_ours(path):
            return None
        request = {
            "v": 1,
            "text": text[:MOST_TEXT],
            "files": list(files)[:20],
            "session": session[:MOST_SESSION],
        }
        sent = json.dumps(request, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        return _understood(_answer(path, sent, seconds, until))
    except (OSError, ValueError, RecursionError, RefusedError):
        return None


def is_there(state: str) -> bool:
    """Whether a server can be asked now; not whether it would answer in time."""
    path = os.path.join(state, HOOK_SOCKET)
    try:
        if not _is_ours(path):
            return False
        _connected(path).close()
    except OSError:
        return False
    return True


def _is_ours(path: str) -> bool:
    """Whether a path is a socket that only we may open."""
    status = os.lstat(path)
    return stat.S_ISSOCK(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o077


def _answer(path: str, sent: bytes, seconds: float, until: float) -> bytes:
    line = _connected(path, seconds)
    try:
        line.sendall(sent)
        return _line(line, until)
    finally:
        line.close()


def _connected(path: str, seconds: float = SERVER_WAIT) -> socket.socket:
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        line.settimeout(seconds)
        _connect(line, path)
    except OSError:
        line.close()
        raise
    return line


def _connect(line: socket.socket, path: str) -> None:
    """Connect to a socket with a path of any length. A long one is reached by its name, from its folder."""
    if len(os.fsencode(path)) <= _PATH_BYTES:
        line.connect(path)
        return
    here = os.open(".", os.O_RDONLY)
    try:
        os.chdir(os.path.dirname(path))  # safe, because a hook has one thread
        line.connect(os.path.basename(path))
    finally:
        os.fchdir(here)
        os.close(here)


def _line(line: socket.socket, until: float) -> bytes:
    """The answer, if all of it arrives before `until`; each part gets only the remaining time."""
    answer = b""
    while not answer.endswith(b"\n"):
        left = until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        line.settimeout(left)
        part = line.recv(8192)
        if not part or len(answer) > _MOST_ANSWER:
            raise ValueError("incomplete answer")
        answer += part
    return answer


def _understood(answer: bytes) -> WarmAnswer | None:
    reply = json.loads(answer)
    if not isinstance(reply, dict) or reply.get("v") != 1 or not isinstance(reply.get("hits"), list):
        return None
    ids = [hit.get("id") for hit in reply["hits"] if isinstance(hit, dict)]
    known = tuple(parse_unified(id) for id in ids if isinstance(id, str))
    probability = reply.get("probability")
    if not isinstance(probability, int | float) or not 0 <= probability <= 1:  # nor is NaN
        return None
    return WarmAnswer(known[:20], float(probability), _scoring(reply.get("scoring")))


def _scoring(row: Any) -> GateScoring | None:
    """The trace of a judgement as the server sends it; None for anything else."""
    if not isinstance(row, dict):
        return None
    signals: Any = row.get("signals")
    params: Any = row.get("params")
    score: Any = row.get("score")
    threshold: Any = row.get("threshold")
    if not (_are_numbers(signals) and _are_numbers(params)):
        return None
    if not (_is_number(score) and _is_number(threshold)):
        return None
    best = parse_unified(str(row.get("candidate")))
    return GateScoring("", best, signals, params, score, threshold, "", 0.0)


def _are_numbers(values: object) -> bool:
    return (
        isinstance(values, dict)
        and len(values) <= _MOST_NUMBERS
        and all(value is None or _is_number(value) for value in values.values())
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and abs(value) < _LARGEST
