"""The sessions in the database of opencode, newest version: tables `session`, `message` and `part`."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recollect.storage.sqlite.foreign import ForeignDatabase

_MOST_PARTS = 100_000  # of one session


@dataclass(frozen=True, slots=True)
class OpencodeSession:
    """A session: its facts by name, and when it last changed, in seconds."""

    id: str
    facts: dict[str, Any]
    updated: float


def sessions(path: Path) -> list[OpencodeSession]:
    """All sessions. Raises RefusedError for a file that is no such database."""
    database = ForeignDatabase(path)
    try:
        columns = ("id", "directory", "parent_id", "time_updated")
        rows = list(database.rows("session", columns, "id"))
    finally:
        database.close()
    return [
        OpencodeSession(
            id,
            {"id": id, "directory": folder, "parent_id": parent},
            updated / 1000 if isinstance(updated, int | float) else 0.0,
        )
        for id, folder, parent, updated in rows
        if isinstance(id, str)
    ]


def parts(path: Path, session: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each part of a session with its message, in their order. What is no object is left out."""
    database = ForeignDatabase(path)
    try:
        number = 0
        for id, data in database.rows("message", ("id", "data"), "id", session_id=session):
            message = _object(data)
            for (text,) in list(database.rows("part", ("data",), "id", message_id=id)):
                number += 1
                part = _object(text)
                if number > _MOST_PARTS:
                    return
                if message is not None and part is not None:
                    yield message, part
    finally:
        database.close()


def _object(text: object) -> dict[str, Any] | None:
    try:
        value = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
