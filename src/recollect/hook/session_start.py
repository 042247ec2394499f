"""The start of a session: the index in step, last session's open ends, decisions that may be stale."""

import json
from pathlib import Path
from typing import Any

from recollect.agents.event import Event, Reply
from recollect.hook.injection import safe
from recollect.hook.lookup import is_drifted, synchronised
from recollect.hook.place import Place
from recollect.storage.sqlite.index import SqliteIndex
from recollect.storage.sqlite.state import NAME as STATE_NAME
from recollect.storage.sqlite.state import State

MOST_CHARACTERS = 1500
_MOST_OPEN_ENDS = 5
_MOST_DRIFTED = 3
_LOOKED_AT = 50  # anchored memories that are compared with their code
_UNCONFIRMED = frozenset({"tool"})  # sources that no person has vouched for


def on_session_start(event: Event, place: Place) -> Reply:
    """What a session is told when it starts. After a compaction it may be given everything again."""
    index = synchronised(place)
    _note(event, place)
    if event.start == "compact":
        return Reply()
    lines = [*_open_ends(index, place), *_drifted(index, place)]
    return Reply(_block(lines, place.root.shown))


def _note(event: Event, place: Place) -> None:
    state = State(place.root.state / STATE_NAME)
    try:
        if event.start == "compact":
            state.compacted(event.session)
        else:
            state.count_event(event.session)
    finally:
        state.close()


def _open_ends(index: SqliteIndex, place: Place) -> list[str]:
    """What the last session left to do, from its summary."""
    last = index.newest("session_summary")
    if last is None or last.source in _UNCONFIRMED:
        return []
    content = _content(place.folder / last.path)
    ends = [
        *_texts(content, "blockers"),
        *_texts(content, "in_progress"),
        *_texts(content, "next_actions"),
    ]
    if not ends:
        return []
    day = f"{last.updated_at or last.created_at:%Y-%m-%d}"
    return [
        f"Last session ({day}): {safe(last.title, 300)} -> {safe(last.path)}",
        *(f"- still open: {safe(end, 200)}" for end in ends[:_MOST_OPEN_ENDS]),
    ]


def _content(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_bytes()).get("content")
    except (OSError, ValueError, AttributeError):
        return {}
    return content if isinstance(content, dict) else {}


def _texts(content: dict[str, Any], name: str) -> list[str]:
    value = content.get(name)
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def _drifted(index: SqliteIndex, place: Place) -> list[str]:
    """Decisions and constraints whose code has changed: not to be relied on before they are checked."""
    found = [
        document
        for document in index.anchored(_LOOKED_AT)
        if document.source not in _UNCONFIRMED and is_drifted(document, place)
    ]
    return [
        f"- its code has changed, check before relying on it: [{safe(document.category.upper())}] "
        f"{safe(document.title, 300)} -> {safe(document.path)}"
        for document in found[:_MOST_DRIFTED]
    ]


def _block(lines: list[str], source: str) -> str:
    if not lines:
        return ""
    start, end = f'<memory-context source="{safe(source)}/">', "</memory-context>"
    room = MOST_CHARACTERS - len(start) - len(end) - 2
    kept: list[str] = []
    for line in lines:
        if len(line) + 1 > room:
            break
        kept.append(line)
        room -= len(line) + 1
    return "\n".join([start, *kept, end]) if kept else ""
