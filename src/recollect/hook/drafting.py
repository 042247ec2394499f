"""Drafts written by the hook: a summary when a session stops, a runbook when a failed command succeeds."""

from __future__ import annotations

import time

from recollect.hook.working_memory import new_goal
from recollect.redaction.user_patterns import gate_of
from recollect.storage.sqlite.state import precise_text
from recollect.working.draft import runbook_document, summary_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.agents.event import Event
    from recollect.hook.project_paths import ProjectPaths
    from recollect.working.history import Failure
    from recollect.working.ports import DraftStore
    from recollect.working.recorder import SessionRecorder

_QUIET = 3600  # seconds without an event after which a session counts as ended
_AT_ONCE = 5  # drafts that one start keeps: each is several writes, and the session waits


def on_close(event: Event, place: ProjectPaths, recorder: SessionRecorder) -> None:
    """A session stops, is compacted or ends: write its summary. A session has one draft."""
    if not event.session:
        return
    recorder.begin(event.session, event.harness, new_goal(event, place, recorder))
    history = recorder.history(event.session)
    if not history:
        return
    drafts = open_drafts(place)
    name = drafts.put(f"session-{event.session}", summary_document(history))
    recorder.tidy()
    if event.kind == "session_end" and _keeps_automatically(place):
        _keep(place, recorder, drafts, name)


def keep_left_over(event: Event, place: ProjectPaths, recorder: SessionRecorder) -> None:
    """Keep the drafts of sessions that ended without an event, if drafts are kept automatically."""
    if not _keeps_automatically(place):
        return
    quiet_since = precise_text(time.time_ns() - _QUIET * 10**9)
    drafts = open_drafts(place)
    sessions = recorder.stores.sessions
    # What a person said is for a person to keep, however drafts are kept.
    others = [draft for draft in drafts.all() if draft.session != event.session and not draft.evidence]
    ended = [draft.name for draft in others if sessions.state(draft.session).seen_at < quiet_since]
    for name in ended[:_AT_ONCE]:
        _keep(place, recorder, drafts, name)


def draft_runbooks(
    session: str, fixed: Sequence[Failure], recorder: SessionRecorder, place: ProjectPaths
) -> None:
    """Draft a runbook for each failure that was fixed, unless it has one."""
    history = recorder.history(session)
    for failure in fixed:
        document = runbook_document(failure, history)
        if document is None or recorder.stores.history.fixes(failure.fingerprint):
            continue
        drafts = open_drafts(place)
        name = drafts.put(f"runbook-{failure.fingerprint}", document)
        if _keeps_automatically(place):
            _keep(place, recorder, drafts, name)


def _keeps_automatically(place: ProjectPaths) -> bool:
    """Whether no person has to look first. A team's database is out of a hook's reach: there, one has to."""
    return place.config.working.keep_drafts == "auto" and not place.config.database


def open_drafts(place: ProjectPaths) -> DraftStore:
    """The drafts of the project, behind the gate."""
    from recollect.storage.files.drafts import FileDrafts

    return FileDrafts(place.state, gate_of(place.config.redaction))


def _keep(place: ProjectPaths, recorder: SessionRecorder, drafts: DraftStore, name: str) -> None:
    """Save a draft as a memory without asking; it stays marked as a tool's."""
    from pathlib import Path

    from recollect.app.drafts import keep_draft
    from recollect.clock import utc_now
    from recollect.records.memories import Memories
    from recollect.storage.files.root import MemoryRoot
    from recollect.storage.files.store import FileStore

    root = MemoryRoot(Path(place.root), place.shown)
    memories = Memories(FileStore(root), gate_of(place.config.redaction), utc_now)
    keep_draft(drafts.get(name), drafts, memories, recorder, confirmed=False)
