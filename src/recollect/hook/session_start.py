"""The start of a session: update the index; show pinned memories, open ends, and decisions that drifted."""

from __future__ import annotations

from recollect.agents.event import HookReply
from recollect.hook.databases import PAUSE_WAL_BYTES, checkpoint_long_wals, open_state
from recollect.hook.drafting import keep_left_over
from recollect.hook.index_lookup import content_of, is_drifted, open_index_at_start, pointer
from recollect.hook.injection import enclosed, pointer_line, safe
from recollect.hook.process import ANSWER_LOCK_WAIT, note_failure
from recollect.hook.resume_block import resume_lines
from recollect.storage.sqlite.state import days_ago, now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from recollect.agents.event import Event
    from recollect.hook.project_paths import ProjectPaths
    from recollect.ids import UnifiedId
    from recollect.retrieval.index import Document
    from recollect.storage.sqlite.index import SqliteIndex

MOST_CHARACTERS = 1500
_MOST_OPEN_ENDS = 5
_MOST_DRIFTED = 3
_COMPARED = 50  # anchored memories that are compared with their code
_UNCONFIRMED = frozenset({"tool"})  # sources that no person has confirmed


def on_session_start(event: Event, place: ProjectPaths) -> HookReply:
    """Show a starting session what is pinned, and its own working memory or the last one's open ends.

    After a compaction it may be given every memory again.
    """
    index = open_index_at_start(place)
    since = dict(place.config.categories.retained_since(days_ago))
    last = index.newest("session_summary", now())
    known = last if last is not None and _is_shown(last, since) else None
    try:
        lines, own = _going_on(event, place, known, since.get("session_summary", ""))
    except Exception as error:  # the memories can be shown without the database of sessions
        note_failure(error)
        lines, own = [], event.start == "compact"
    if not lines and not own:
        lines = _open_ends(known, place)
    pinned = [] if event.start == "resume" else _pinned(index, place, since)
    if event.start != "compact":
        lines = [*lines, *_drifted(index, place, since)]
    checkpoint_long_wals(place, PAUSE_WAL_BYTES)
    pinned_lines = [line for _, line in pinned]
    room = MOST_CHARACTERS + sum(len(line) + 1 for line in pinned_lines)
    _record(event, place, [id for id, _ in pinned])
    return HookReply(enclosed([*pinned_lines, *lines], place.shown, room))


def _pinned(
    index: SqliteIndex, place: ProjectPaths, since: Mapping[str, str]
) -> list[tuple[UnifiedId, str]]:
    """Pinned memories that fit their budget, those confirmed last first: ids and lines."""
    room = place.config.retrieval.pinned_characters
    fitting = []
    for document in index.pinned(now()) if room else ():
        if not _is_shown(document, since) or is_drifted(document, place):
            continue
        line = pointer_line(pointer(document, place)).replace("- [", "- pinned: [", 1)
        if len(line) + 1 <= room:
            fitting.append((document.id, line))
            room -= len(line) + 1
    return fitting


def _record(event: Event, place: ProjectPaths, ids: list[UnifiedId]) -> None:
    """Record what the session was given, so that no prompt gives it again."""
    if not ids or not event.session:
        return
    try:
        open_state(place, ANSWER_LOCK_WAIT).give(event.session, ids, 1.0)
    except Exception as error:  # a memory that is given twice is better than none
        note_failure(error)


def _is_shown(document: Document, since: Mapping[str, str]) -> bool:
    """Whether a person confirmed a document and it is not past the retention of its category."""
    is_retained = _changed_at(document) >= since.get(document.category, "")
    return is_retained and document.source not in _UNCONFIRMED


def _changed_at(document: Document) -> str:
    return document.updated_at or document.created_at


def _going_on(
    event: Event, place: ProjectPaths, known: Document | None, since: str
) -> tuple[list[str], bool]:
    """Record the start. The lines about this session or the last one, and whether they are its own.

    A session that was last seen before `since` is not shown to another.
    """
    recorder = open_state(place, ANSWER_LOCK_WAIT)
    if event.start == "compact":
        recorder.compact(event.session)
    else:
        recorder.count_event(event.session)
    keep_left_over(event, place, recorder)
    summarised_at = _changed_at(known) if known else ""
    return resume_lines(event, recorder, max(summarised_at, since))


def _open_ends(last: Document | None, place: ProjectPaths) -> list[str]:
    """What the last session left to do, from its summary."""
    if last is None:
        return []
    content = content_of(last, place)
    ends = [
        *_texts(content, "blockers"),
        *_texts(content, "in_progress"),
        *_texts(content, "next_actions"),
    ]
    if not ends:
        return []
    day = _changed_at(last)[:10]
    return [
        f"Last session ({day}): {safe(last.title, 300)} -> {safe(last.path)}",
        *(f"- still open: {safe(end, 200)}" for end in ends[:_MOST_OPEN_ENDS]),
    ]


def _texts(content: dict[str, Any], name: str) -> list[str]:
    value = content.get(name)
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def _drifted(index: SqliteIndex, place: ProjectPaths, since: Mapping[str, str]) -> list[str]:
    """Decisions and constraints whose code has changed, to check before anyone relies on them."""
    drifted = [
        document
        for document in index.anchored(now(), _COMPARED)
        if _is_shown(document, since) and is_drifted(document, place)
    ]
    return [
        f"- its code has changed, check before relying on it: [{safe(document.category.upper())}] "
        f"{safe(document.title, 300)} -> {safe(document.path)}"
        for document in drifted[:_MOST_DRIFTED]
    ]
