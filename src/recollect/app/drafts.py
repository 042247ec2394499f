"""Drafts that wait for a person: memories in the state folder, where no search and no prompt sees them.

One file each, `.recollect/drafts/NAME.json`. Drawing up the same thing again replaces its draft; keeping
one makes it a memory like any other.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.errors import NotFoundError
from recollect.ids import slug
from recollect.records.draft import Draft
from recollect.records.memories import Repeats, Saved
from recollect.storage.files import atomic
from recollect.values import Frozen
from recollect.working.history import mark

if TYPE_CHECKING:
    from collections.abc import Callable

    from recollect.records.memories import Memories
    from recollect.records.record import Memory
    from recollect.records.redaction_port import RedactionGate
    from recollect.storage.sqlite.working import WorkingStore

FOLDER = "drafts"
_MOST = 200  # drafts that wait; the oldest make room


class StoredDraft(Frozen):
    """A draft and its name."""

    name: str
    document: dict[str, Any]

    @property
    def session(self) -> str:
        """The session that it comes from."""
        source = self.document.get("source")
        return str(source.get("session") or "") if isinstance(source, dict) else ""

    @property
    def fingerprint(self) -> str:
        """The error that a runbook is for; '' for a summary."""
        content = self.document.get("content")
        symptoms = content.get("symptoms") if isinstance(content, dict) else None
        told = [text for text in symptoms or () if isinstance(text, str)]
        return next((text[len(mark("")) :] for text in told if text.startswith(mark(""))), "")


class Drafts:
    """The drafts of one memory root. What is written passes the gate, or is not written."""

    def __init__(self, state: str | Path, gate: RedactionGate) -> None:
        self._folder = Path(state, FOLDER)
        self._gate = gate

    def put(self, name: str, document: dict[str, Any]) -> str:
        """Keep a draft under a name made of `name`, in place of the one that was there. That name."""
        clean, _ = self._gate(document)
        self._folder.mkdir(parents=True, exist_ok=True)
        proper = slug(name, fallback="draft")
        path = self._path(proper)
        data = json.dumps(clean, ensure_ascii=False, indent=2).encode("utf-8", "replace") + b"\n"
        if not path.exists() or path.read_bytes() != data:
            atomic.write(path, data, str(path))
        self._make_room()
        return proper

    def all(self) -> list[StoredDraft]:
        """Every draft that can be read, by name."""
        found = [self._read(name) for name in self._names()]
        return [draft for draft in found if draft is not None]

    def get(self, name: str) -> StoredDraft:
        """A draft by its name. Raises NotFoundError that names those there are."""
        names = self._names()
        found = self._read(name) if name in names else None
        if found is None:
            there = ", ".join(names[:5]) or "none at all"
            raise NotFoundError(
                f"there is no draft {name!r}; there is {there}. `recollect session drafts` lists them."
            )
        return found

    def drop(self, name: str) -> None:
        """Throw a draft away."""
        self.get(name)
        self._path(name).unlink()

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.json"

    def _names(self) -> list[str]:
        try:
            found = [path.stem for path in self._folder.iterdir() if path.suffix == ".json"]
        except OSError:
            return []
        return sorted(name for name in found if not name.startswith("."))

    def _read(self, name: str) -> StoredDraft | None:
        try:
            document = json.loads(self._path(name).read_bytes())
        except (OSError, ValueError, RecursionError):
            return None
        return StoredDraft(name, document) if isinstance(document, dict) else None

    def _make_room(self) -> None:
        names = self._names()
        if len(names) > _MOST:
            oldest = sorted(names, key=lambda name: (self._path(name).stat().st_mtime_ns, name))
            for name in oldest[: len(names) - _MOST]:
                self._path(name).unlink()


def keep(
    draft: StoredDraft, drafts: Drafts, memories: Memories, store: WorkingStore, *, confirmed: bool
) -> Saved | Repeats:
    """Make a memory of a draft; a session whose summary was kept before has that one changed.

    What a person keeps is theirs; what is kept without one stays marked as a tool's word.
    """
    document = dict(draft.document)
    if confirmed:
        document["source"] = {"kind": "user", "session": draft.session}
    is_summary = document.get("category") == "session_summary"
    before = store.record(draft.session).kept if is_summary else ""
    done: Saved | Repeats
    if before and before in memories.store.taken():
        done = memories.edit(before, _fields(document), "The session went on.")
    else:
        done = memories.save(Draft(document), allow_repeat=is_summary)
    stored = done.stored if isinstance(done, Saved) else done.existing
    if is_summary:
        store.kept(draft.session, stored.memory.id)
    elif draft.fingerprint:
        store.past.fixed_by(draft.fingerprint, stored.memory.unified_id)
    if isinstance(done, Repeats) and confirmed:
        return done  # the person decides: drop it, or change the memory that says it already
    drafts.drop(draft.name)
    return done


def _fields(document: dict[str, Any]) -> Callable[[Memory], dict[str, Any]]:
    kept = ("title", "content", "related_files", "source")
    return lambda _: {name: document[name] for name in kept if name in document}
