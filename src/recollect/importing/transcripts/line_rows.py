"""Rows of a file with one JSON object per line, read piece by piece. No line is read past its limit."""

import json
import os
import stat
from collections.abc import Iterator
from io import FileIO
from pathlib import Path
from typing import Any

from recollect.agents.harness import PastTranscripts
from recollect.importing.transcripts.rows import Rows, TranscriptRow, UnreadableRow

MAX_LINE = 8 * 1024 * 1024  # bytes; the longest lines are images and whole files
MAX_TRANSCRIPT = 4 * 1024 * 1024 * 1024
_PIECE = 1024 * 1024


def opened(path: Path) -> FileIO:
    """A transcript for reading. Raises OSError for a link, a pipe, a folder and the like, without waiting."""
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError("not a plain file")
    return FileIO(handle)


def lines(path: Path) -> Iterator[tuple[int, bytes | None]]:
    """The lines of a file with their numbers; None for one that is longer than `MAX_LINE`."""
    with opened(path) as file:
        number, pieces, length = 1, [b""], 0
        while piece := file.read(_PIECE):
            *ended, rest = piece.split(b"\n")
            for end in ended:
                yield number, b"".join((*pieces, end)) if length + len(end) <= MAX_LINE else None
                number, pieces, length = number + 1, [], 0
            length += len(rest)
            pieces = [*pieces, rest] if length <= MAX_LINE else []
        if length:
            yield number, b"".join(pieces) if length <= MAX_LINE else None


def json_rows(path: Path, past: PastTranscripts) -> Rows:
    """The rows of a transcript. Lines that are too long or no objects are reported, and the next is read."""
    for number, line in lines(path):
        if line is None:
            yield UnreadableRow(number, f"longer than {MAX_LINE:,} bytes")
        elif line.strip():
            row = parsed(line)
            if row is None:
                yield UnreadableRow(number, "not a JSON object")
            else:
                yield TranscriptRow(number, past.at(row), past.read(row))


def parsed(line: bytes) -> dict[str, Any] | None:
    """The object that a line spells; None for anything else."""
    try:
        row = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None
