"""Keeping a draft: from a file that waits for a person to a memory like any other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recollect.ids import MemoryId
from recollect.records.draft import Draft
from recollect.records.memories import Repeats, Saved

if TYPE_CHECKING:
    from collections.abc import Callable

    from recollect.records.memories import Memories
    from recollect.records.record import Memory
    from recollect.working.draft import StoredDraft
    from recollect.working.ports import DraftStore
    from recollect.working.recorder import SessionRecorder

_UPDATED = ("title", "content", "related_files", "source")  # fields of a summary that is saved again


def keep_draft(
    draft: StoredDraft,
    drafts: DraftStore,
    memories: Memories,
    recorder: SessionRecorder,
    *,
    confirmed: bool,
) -> Saved | Repeats:
    """Save a draft as a memory; a summary replaces the one that the same session has already.

    A person confirms a draft by keeping it. One that is kept automatically stays marked as a tool's.
    """
    document = dict(draft.document)
    if confirmed:
        session = {"session": draft.session} if draft.session else {}
        document["source"] = {"kind": "user", **session, **_place(draft)}
    result = _save(draft, document, memories, recorder)
    if isinstance(result, Repeats) and confirmed:
        return result  # the person decides: drop the draft, or edit the memory that says it already
    drafts.drop(draft.name)
    return result


def _place(draft: StoredDraft) -> dict[str, int]:
    """The turn and the line of the transcript that a draft comes from, so that `why` can show it."""
    source = draft.document.get("source")
    places = {name: source.get(name) for name in ("turn", "line")} if isinstance(source, dict) else {}
    return {name: number for name, number in places.items() if isinstance(number, int)}


def _save(
    draft: StoredDraft, document: dict[str, Any], memories: Memories, recorder: SessionRecorder
) -> Saved | Repeats:
    """Save the document and record where it is."""
    is_summary = document.get("category") == "session_summary"
    previous = recorder.history(draft.session).summary_memory if is_summary else ""
    result: Saved | Repeats
    if previous and memories.store.has(MemoryId(previous)):
        result = memories.edit(previous, _fields(document), "The session went on.")
    else:
        result = memories.save(Draft(document), allow_repeat=is_summary)
    memory = (result.stored if isinstance(result, Saved) else result.existing).memory
    if is_summary:
        recorder.summarised(draft.session, memory.id)
    elif draft.fingerprint:
        recorder.fixed_by(draft.fingerprint, memory.unified_id)
    return result


def _fields(document: dict[str, Any]) -> Callable[[Memory], dict[str, Any]]:
    return lambda _: {name: document[name] for name in _UPDATED if name in document}
