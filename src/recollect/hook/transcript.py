"""A transcript, read from its end: which files were touched, how a call ended. Any surprise means nothing.

Transcripts are no stable interface, and each harness writes its own: a line we do not understand is passed
over, and one that cannot tell what is asked is not even parsed.
"""

from __future__ import annotations

import json
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from io import FileIO
    from typing import Any

STEP = 65_536  # bytes that are read at once
_CALL_TAIL = 4 * STEP  # Codex keeps 64 KB of a command's output, in the row that tells how it ended
CALLS = 5
_FILE_KEYS = ("file_path", "path", "notebook_path", "filePath", "absolute_path")
_PATCH = "*** Begin Patch"
_IN_CODEX = (b'"CommandExecution"', b'"FileChange"', _PATCH.encode())


def touched_files(path: str) -> list[str]:
    """Files that the last tool calls were about, the newest first. For every prompt, so one step is read."""
    found: dict[str, None] = {}
    calls = 0
    for row in last_rows(path, STEP, _may_call):
        for names in reversed(_calls(row)):
            found.update(dict.fromkeys(map(whole, names)))
            calls += 1
            if calls == CALLS:
                return list(found)
    return list(found)


def has_failed(path: str, call: str) -> bool:
    """Whether a Codex rollout says that a call failed; False where it says nothing of it."""
    mark = json.dumps(call).encode()
    for row in last_rows(path, _CALL_TAIL, lambda line: mark in line and b'"item_completed"' in line):
        item = item_of(row)
        if item.get("id") == call:
            return item.get("status") == "failed" or item.get("exit_code") not in (0, None)
    return False


def last_rows(path: str, most: int, may_tell: Callable[[bytes], bool]) -> Iterator[dict[str, Any]]:
    """The rows in the last `most` bytes of a transcript that may tell, the newest first."""
    try:
        with _opened(path) as file:
            at = file.seek(0, os.SEEK_END)
            until, rest = max(at - most, 0), b""
            while at > until:
                size = min(STEP, at - until)
                at -= size
                file.seek(at)
                lines = (file.read(size) + rest).split(b"\n")
                rest = lines.pop(0) if at else b""  # the end of a line that begins further up
                yield from _rows(reversed(lines), may_tell)
    except (OSError, ValueError):
        return


def first_rows(path: str, most: int, may_tell: Callable[[bytes], bool]) -> Iterator[dict[str, Any]]:
    """The rows in the first `most` bytes of a transcript that may tell, the oldest first."""
    try:
        with _opened(path) as file:
            rest, at = b"", 0
            while at < most and (read := file.read(STEP)):
                at += len(read)
                lines = (rest + read).split(b"\n")
                rest = lines.pop()
                yield from _rows(lines, may_tell)
            yield from _rows([rest], may_tell)
    except (OSError, ValueError):
        return


def item_of(row: dict[str, Any]) -> dict[str, Any]:
    """What a row of a Codex rollout says is done; {} for any other row."""
    payload = row.get("payload")
    item = payload.get("item") if isinstance(payload, dict) else None
    return item if isinstance(item, dict) else {}


def whole(text: str) -> str:
    """A text without half characters, which JSON can spell and nothing can store."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _opened(path: str) -> FileIO:
    """A file for reading in pieces. Raises OSError for a folder, a pipe and the like, without waiting."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise OSError(f"{path!r} is no regular file")
    return open(path, "rb", buffering=0)


def _rows(lines: Iterable[bytes], may_tell: Callable[[bytes], bool]) -> Iterator[dict[str, Any]]:
    for line in lines:
        # Half a line is no object, and finding that out from the parser takes longer than all the rest.
        if not line.startswith(b"{") or not may_tell(line) or not line.rstrip().endswith(b"}"):
            continue
        try:
            row = json.loads(line.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict):
            yield row


def _may_call(line: bytes) -> bool:
    if b'"payload"' in line:
        return any(mark in line for mark in _IN_CODEX)
    return b'"tool_use"' in line or b'"toolCalls"' in line


def _calls(row: dict[str, Any]) -> list[list[str]]:
    """The files of each tool call that a row tells of."""
    if "payload" in row:
        return [_codex_files(row)]
    message = row.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    used = [part.get("input") for part in _objects(content) if part.get("type") == "tool_use"]
    called = [call.get("args") for call in _objects(row.get("toolCalls"))]
    return [_named(given) for given in [*used, *called] if isinstance(given, dict)]


def _codex_files(row: dict[str, Any]) -> list[str]:
    item, payload = item_of(row), row["payload"]
    changes = item.get("changes")
    if isinstance(changes, dict):
        return list(changes)
    named = [*_objects(changes), *_objects(item.get("parsed_cmd"))]
    patch = payload.get("input") if isinstance(payload, dict) else None
    if isinstance(patch, str) and _PATCH in patch:
        from recollect.working.tool_result import observed

        return list(observed("apply_patch", payload, "", failed=False).paths)
    return [name for one in named for name in _named(one)]


def _named(given: dict[str, Any]) -> list[str]:
    names = [given.get(key) for key in _FILE_KEYS]
    return [name for name in names if isinstance(name, str) and name]


def _objects(found: object) -> list[dict[str, Any]]:
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
