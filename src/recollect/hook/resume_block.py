"""What a session that starts is told of what was going on: its own, or what the last one left open."""

from __future__ import annotations

import os

from recollect.hook.injection import safe
from recollect.hook.working_memory import working_store
from recollect.working.draft import NO_GOAL, summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.agents.event import Event
    from recollect.hook.project_paths import ProjectPaths
    from recollect.storage.sqlite.state import StateDatabase
    from recollect.storage.sqlite.working import WorkingStore
    from recollect.working.history import Record

_MOST_ENDS = 5  # open ends that a session is told of
_CONTENT = 240  # characters of one line
_OPEN = ("blockers", "next_actions", "in_progress")


def resume_lines(
    event: Event,
    place: ProjectPaths,
    harness: str = "",
    kept_at: str = "",
    state: StateDatabase | None = None,
) -> tuple[list[str], bool]:
    """What a session that starts is told, and whether it is told of itself; else of the one before it.

    `kept_at` is when a session's summary was last kept as a memory; what is older says nothing new.
    """
    if not os.path.isdir(place.state):
        return [], event.start == "compact"
    store = working_store(place, state)
    own = _goes_on(event, store)
    if event.session:
        store.begin(event.session, harness)
    told = _own_lines(store, event.session) if own else _last_lines(store, event.session, kept_at)
    return told, own


def _goes_on(event: Event, store: WorkingStore) -> bool:
    """Whether this is a session of ours going on, which is told only what is its own.

    One that is resumed here and began elsewhere is new to us: it is told what the last one left open.
    """
    return event.start == "compact" or (event.start == "resume" and store.knows(event.session))


def _own_lines(store: WorkingStore, session: str) -> list[str]:
    ranked = store.memory(session).ranked()
    if not ranked:
        return []
    lines = [f"- ({level:.2f}) {safe(item.content, _CONTENT)}" for item, level in ranked]
    ends = _ends(store.record(session), ("blockers", "next_actions"))
    return ["Working memory of this session, what matters most first:", *lines, *ends]


def _last_lines(store: WorkingStore, session: str, kept_at: str) -> list[str]:
    """What the session before this one left open, whichever harness it was in."""
    for last in store.sessions():
        record = store.record(last.id)
        if last.id == session or not record:
            continue
        ends = _ends(record)
        if last.seen_at <= kept_at or not ends:
            return []
        where = f", {safe(last.harness, 40)}" if last.harness else ""
        goal = str(summary(record)["goal"])
        told = "" if goal == NO_GOAL else f" {safe(goal, 200)}"
        return [f"Last session ({safe(last.seen_at[:10])}{where}):{told}", *ends]
    return []


def _ends(record: Record, names: Sequence[str] = _OPEN) -> list[str]:
    content = summary(record)
    ends = [end for name in names for end in content[name] if isinstance(content[name], list)]
    return [f"- still open: {safe(end, _CONTENT)}" for end in ends[:_MOST_ENDS]]
