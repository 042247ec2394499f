"""What was said and touched just before, from the end of a transcript. Any surprise means nothing.

Transcripts are no stable interface: a line we do not understand is passed over.
"""

from __future__ import annotations

import os
import stat

from recollect import quick_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

TAIL = 8192  # bytes of the end that are read for what was said
HEAD = 32_768  # and of the start, for what a session is for
TURNS = 3
CALLS = 5
_FILE_KEYS = ("file_path", "path", "notebook_path", "filePath")


def user_turns(path: str) -> list[str]:
    """The user's last turns, oldest first."""
    turns = [text for row in _rows(path, TAIL) if (text := _user_text(row))]
    return turns[-TURNS:]


def first_turns(path: str) -> list[str]:
    """The user's first turns, oldest first: what a session began with."""
    return [text for row in _rows(path, HEAD, from_start=True) if (text := _user_text(row))]


def touched_files(path: str) -> list[str]:
    """Files that the last tool calls were about, the newest first."""
    found: dict[str, None] = {}
    calls = [call for row in _rows(path, 4 * TAIL) for call in _tool_inputs(row)]
    for call in reversed(calls[-CALLS:]):
        for key in _FILE_KEYS:
            if isinstance(name := call.get(key), str) and name:
                found.setdefault(name)
    return list(found)


def _rows(path: str, most: int, *, from_start: bool = False) -> Iterator[dict[str, Any]]:
    """The whole lines at the end of a transcript, or at its start, that are JSON objects."""
    try:
        if not path or not stat.S_ISREG(os.stat(path).st_mode):
            return
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(0 if from_start else max(size - most, 0))
            lines = file.read(most).decode("utf-8", "replace").split("\n")
    except (OSError, ValueError):
        return
    if size > most:  # one line is cut in two
        lines = lines[:-1] if from_start else lines[1:]
    for line in lines:
        if not line.startswith("{"):
            continue
        try:
            row = quick_json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict):
            yield row


def _user_text(row: dict[str, Any]) -> str:
    """What the user typed, if this line is that; tool results and summaries are not."""
    payload = row.get("payload")
    if isinstance(payload, dict) and payload.get("type") == "user_message":
        return str(payload.get("message") or "").strip()
    message = row.get("message")
    if row.get("type") != "user" or not isinstance(message, dict):
        return ""
    content = message.get("content")
    if isinstance(content, list):
        blocks = [part for part in content if isinstance(part, dict) and part.get("type") == "text"]
        content = "\n".join(str(part.get("text") or "") for part in blocks)
    text = content.strip() if isinstance(content, str) else ""
    return "" if text.startswith(("<", "This session is being continued")) else text


def _tool_inputs(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    message = row.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    for part in content if isinstance(content, list) else []:
        if (
            isinstance(part, dict)
            and part.get("type") == "tool_use"
            and isinstance(part.get("input"), dict)
        ):
            yield part["input"]
