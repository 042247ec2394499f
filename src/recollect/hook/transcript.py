"""A transcript, read from its end or its start: touched files, and how a call ended.

Transcripts are no stable interface: a line that is not understood is skipped, and a file that cannot be
read holds nothing. Each harness says how to read its rows (`Harness.transcript`).
"""

from __future__ import annotations

import json
import os
import stat

from recollect.agents.harnesses import find_harness

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from io import FileIO
    from typing import Any

    from recollect.agents.payload import TranscriptRows

STEP = 65_536  # bytes read at once
_CALL_TAIL = 4 * STEP  # a row that says how a command ended may hold 64 KB of its output
CALLS = 5


def rows_of(harness: str) -> TranscriptRows | None:
    """How to read the transcripts of a harness; None if it has none that we can read."""
    known = find_harness(harness)
    return known.transcript if known else None


def touched_files(path: str, harness: str) -> list[str]:
    """Files that the last tool calls were about, newest first. Reads one step, because every prompt asks."""
    rows = rows_of(harness)
    if rows is None:
        return []
    files: dict[str, None] = {}
    calls = 0
    for row in last_rows(path, STEP, rows.may_be_call):
        for names in reversed(rows.files(row)):
            files.update(dict.fromkeys(map(storable, names)))
            calls += 1
            if calls == CALLS:
                return list(files)
    return list(files)


def has_failed(path: str, harness: str, call: str) -> bool:
    """Whether the transcript says that a tool call failed; False where it does not say."""
    rows = rows_of(harness)
    if rows is None or rows.failed is None:
        return False
    quoted = json.dumps(call).encode()
    for row in last_rows(path, _CALL_TAIL, lambda line: quoted in line):
        failed = rows.failed(row, call)
        if failed is not None:
            return failed
    return False


def last_rows(path: str, limit: int, is_wanted: Callable[[bytes], bool]) -> Iterator[dict[str, Any]]:
    """The rows in the last `limit` bytes of a transcript whose line is wanted, newest first."""
    try:
        with _opened(path) as file:
            at = file.seek(0, os.SEEK_END)
            until, rest = max(at - limit, 0), b""
            while at > until:
                size = min(STEP, at - until)
                at -= size
                file.seek(at)
                lines = (file.read(size) + rest).split(b"\n")
                rest = lines.pop(0) if at else b""  # the end of a line that begins further up
                yield from _rows(reversed(lines), is_wanted)
    except (OSError, ValueError):
        return


def first_rows(path: str, limit: int, is_wanted: Callable[[bytes], bool]) -> Iterator[dict[str, Any]]:
    """The rows in the first `limit` bytes of a transcript whose line is wanted, oldest first."""
    try:
        with _opened(path) as file:
            rest, at = b"", 0
            while at < limit and (chunk := file.read(STEP)):
                at += len(chunk)
                lines = (rest + chunk).split(b"\n")
                rest = lines.pop()
                yield from _rows(lines, is_wanted)
            yield from _rows([rest], is_wanted)
    except (OSError, ValueError):
        return


def numbered_rows(
    path: str, limit: int, is_wanted: Callable[[bytes], bool]
) -> Iterator[tuple[int, dict[str, Any] | None]]:
    """The lines in the first `limit` bytes with their number from 1; None for those that are not wanted."""
    try:
        with _opened(path) as file:
            rest, at, number = b"", 0, 0
            while at < limit and (chunk := file.read(STEP)):
                at += len(chunk)
                lines = (rest + chunk).split(b"\n")
                rest = lines.pop()
                for line in lines:
                    number += 1
                    yield number, next(_rows([line], is_wanted), None)
            if rest:
                yield number + 1, next(_rows([rest], is_wanted), None)
    except (OSError, ValueError):
        return


def storable(text: str) -> str:
    """A text without lone surrogates, which JSON can spell and nothing can store."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _opened(path: str) -> FileIO:
    """A file for reading in pieces. Raises OSError for a folder, a pipe and the like, without waiting."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise OSError(f"{path!r} is not a regular file")
    return open(path, "rb", buffering=0)


def _rows(lines: Iterable[bytes], is_wanted: Callable[[bytes], bool]) -> Iterator[dict[str, Any]]:
    for line in lines:
        # Half a line is no object, and the parser takes long to find that out.
        if not line.startswith(b"{") or not is_wanted(line) or not line.rstrip().endswith(b"}"):
            continue
        try:
            row = json.loads(line.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict):
            yield row
