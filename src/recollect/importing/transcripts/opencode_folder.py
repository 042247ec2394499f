"""Rows of the sessions that opencode kept as a folder of small JSON files.

`session/PROJECT/SESSION.json`, `message/SESSION/MESSAGE.json`, `part/MESSAGE/PART.json`; names sort by time.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recollect.agents.harness import PastTranscripts
from recollect.importing.transcripts.line_rows import MAX_LINE, opened, parsed
from recollect.importing.transcripts.rows import Rows, TranscriptRow, UnreadableRow

MOST_PARTS = 100_000  # of one session


def session_files(storage: Path) -> list[Path]:
    """The file of each session."""
    return sorted(storage.glob("session/*/*.json"))


def messages(file: Path) -> Iterator[Path]:
    """The messages of a session, in their order."""
    return iter(sorted(file.parents[2].glob(f"message/{_escaped(file.stem)}/*.json")))


def folder_rows(file: Path, past: PastTranscripts) -> Rows:
    """The session, and each part of its messages. A row's number is its place in the session."""
    number = 1
    session = _object(file)
    if session is None:
        yield UnreadableRow(number, "not a session")
        return
    yield TranscriptRow(number, "", past.read({"session": {**session, "id": file.stem}}))
    for message_file in messages(file):
        message = _object(message_file)
        number += 1
        if message is None:
            yield UnreadableRow(number, "a message that cannot be read")
            continue
        parts = file.parents[2].glob(f"part/{_escaped(message_file.stem)}/*.json")
        for part_file in sorted(parts):
            number += 1
            if number > MOST_PARTS:
                return
            part = _object(part_file)
            if part is None:
                yield UnreadableRow(number, "a part that cannot be read")
            else:
                yield _part_row(number, message, part, past)


def _part_row(
    number: int, message: dict[str, Any], part: dict[str, Any], past: PastTranscripts
) -> TranscriptRow:
    row = {"message": message, "part": part, "at": moment(message)}
    return TranscriptRow(number, past.at(row), past.read(row))


def moment(message: dict[str, Any]) -> str:
    """When a message was made: milliseconds, as a text; '' if it does not say."""
    time = message.get("time")
    created = time.get("created") if isinstance(time, dict) else None
    return str(int(created)) if isinstance(created, int | float) and created > 0 else ""


def _object(file: Path) -> dict[str, Any] | None:
    try:
        with opened(file) as handle:
            data = handle.read(MAX_LINE + 1)
    except OSError:
        return None
    return parsed(data) if len(data) <= MAX_LINE else None


def _escaped(name: str) -> str:
    """A name in which nothing is a pattern."""
    return "".join(f"[{mark}]" if mark in "*?[" else mark for mark in name)
