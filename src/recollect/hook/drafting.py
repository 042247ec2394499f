"""Drafts drawn up at the hook: a session's summary when it stops, a runbook when what failed works again."""

from __future__ import annotations

import os
import time

from recollect.hook.working_memory import goal, working_store
from recollect.redaction.user_patterns import gate_of
from recollect.storage.sqlite.history import text_of
from recollect.working.draft import runbook_document, summary_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.agents.event import Event
    from recollect.app.drafts import Drafts
    from recollect.hook.project_paths import ProjectPaths
    from recollect.storage.sqlite.state import StateDatabase
    from recollect.storage.sqlite.working import CallOutcome, WorkingStore

_QUIET = 3600  # seconds without an event after which a session is taken to be over
_AT_ONCE = 5  # drafts that one start keeps; each is several writes, and the session waits


def on_close(
    event: Event, place: ProjectPaths, harness: str = "", state: StateDatabase | None = None
) -> None:
    """A session stops, is compacted or ends: draw up its summary. The same session has the same draft."""
    if not event.session or not os.path.isdir(place.state):
        return

    store = working_store(place, state)
    store.begin(event.session, harness, goal(event, store))
    record = store.record(event.session)
    if not record:
        return
    drafts = _drafts(place)
    name = drafts.put(f"session-{event.session}", summary_document(record))
    store.tidy()
    if event.kind == "session_end" and _keeps(place):
        _keep(place, store, drafts, name)


def keep_left_over(event: Event, place: ProjectPaths, state: StateDatabase | None = None) -> None:
    """Keep the drafts of sessions that ended without saying so, where drafts are kept without asking."""
    if not _keeps(place) or not os.path.isdir(place.state):
        return
    quiet = text_of(time.time_ns() - _QUIET * 10**9)
    store, drafts = working_store(place, state), _drafts(place)
    others = [draft for draft in drafts.all() if draft.session != event.session]
    over = [draft.name for draft in others if store.record(draft.session).seen_at < quiet]
    for name in over[:_AT_ONCE]:
        _keep(place, store, drafts, name)


def draft_runbooks(session: str, noted: CallOutcome, store: WorkingStore, place: ProjectPaths) -> None:
    """Offer what was done about each error as a runbook, unless one is known for it."""
    record = store.record(session)
    for trouble in noted.fixed:
        document = runbook_document(trouble, record)
        if document is None or store.past.fixes(trouble.fingerprint):
            continue
        drafts = _drafts(place)
        name = drafts.put(f"runbook-{trouble.fingerprint}", document)
        if _keeps(place):
            _keep(place, store, drafts, name)


def _keeps(place: ProjectPaths) -> bool:
    return place.config.working.keep_drafts == "auto"


def _drafts(place: ProjectPaths) -> Drafts:
    from recollect.app.drafts import Drafts

    return Drafts(place.state, gate_of(place.config.redaction))


def _keep(place: ProjectPaths, store: WorkingStore, drafts: Drafts, name: str) -> None:
    """Make a memory of a draft without asking; it stays marked as a tool's word."""
    from pathlib import Path

    from recollect.app.drafts import keep
    from recollect.clock import utc_now
    from recollect.records.memories import Memories
    from recollect.storage.files.root import MemoryRoot
    from recollect.storage.files.store import FileStore

    root = MemoryRoot(Path(place.root), place.shown)
    memories = Memories(FileStore(root), gate_of(place.config.redaction), utc_now)
    keep(drafts.get(name), drafts, memories, store, confirmed=False)
