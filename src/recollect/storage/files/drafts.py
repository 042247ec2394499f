"""Drafts as files in the state folder, where no search and no prompt sees them: adapter of `DraftStore`.

One file each, `.recollect/drafts/NAME.json`.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.errors import StoreError
from recollect.ids import slug
from recollect.paths import DRAFTS_FOLDER, read_below
from recollect.records.json_format import MAX_BYTES
from recollect.storage import private, retention
from recollect.storage.files import atomic
from recollect.working.draft import StoredDraft, unknown_draft

if TYPE_CHECKING:
    from recollect.records.redaction_port import RedactionGate


class FileDrafts:
    """The drafts of one memory root. An error in the gate stops the write."""

    def __init__(self, state: str | Path, gate: RedactionGate) -> None:
        self._folder = Path(state, DRAFTS_FOLDER)
        self._gate = gate

    def put(self, name: str, document: dict[str, Any]) -> str:
        """Redact and store a draft in place of the one of that name. The name it is stored under."""
        clean, _ = self._gate(document)
        stored_name = slug(name, fallback="draft")
        data = json.dumps(clean, ensure_ascii=False, indent=2).encode("utf-8", "replace") + b"\n"
        with atomic.opened(self._folder, private.FOLDER) as folder:
            private.tighten_handle(folder)
            if _bytes(folder, stored_name) != data:
                file = f"{stored_name}.json"
                atomic.write_below(folder, file, data, f"{self._folder}/{file}", private=True)
            _make_room(folder)
            atomic.remove_abandoned(folder)
        return stored_name

    def all(self) -> list[StoredDraft]:
        """Every draft that can be read, by name."""
        try:
            with atomic.opened(self._folder) as folder:
                drafts = [_draft(folder, name) for name in _names(folder)]
        except StoreError:
            return []
        return [draft for draft in drafts if draft is not None]

    def get(self, name: str) -> StoredDraft:
        """A draft by its name. Raises NotFoundError that lists some names there are."""
        names = self._list()
        draft = self._read(name) if name in names else None
        if draft is None:
            raise unknown_draft(name, names)
        return draft

    def drop(self, name: str) -> None:
        """Delete a draft. Raises NotFoundError for an unknown name."""
        self.get(name)
        with atomic.opened(self._folder) as folder:
            os.unlink(f"{name}.json", dir_fd=folder)

    def _list(self) -> list[str]:
        try:
            with atomic.opened(self._folder) as folder:
                return _names(folder)
        except StoreError:
            return []

    def _read(self, name: str) -> StoredDraft | None:
        try:
            with atomic.opened(self._folder) as folder:
                return _draft(folder, name)
        except StoreError:
            return None


def _names(folder: int) -> list[str]:
    names = os.listdir(folder)
    return sorted(name[:-5] for name in names if name.endswith(".json") and not name.startswith("."))


def _draft(folder: int, name: str) -> StoredDraft | None:
    """The draft of that name; None if it cannot be read."""
    try:
        document = json.loads(_bytes(folder, name))
    except (ValueError, RecursionError):
        return None
    return StoredDraft(name, document) if isinstance(document, dict) else None


def _bytes(folder: int, name: str) -> bytes:
    """What is stored under a name; nothing if it cannot be read."""
    try:
        return read_below(folder, f"{name}.json", MAX_BYTES)
    except OSError:
        return b""


def _make_room(folder: int) -> None:
    names = _names(folder)
    if len(names) > retention.MAX_DRAFTS:
        ages = {name: os.stat(f"{name}.json", dir_fd=folder, follow_symlinks=False) for name in names}
        oldest = sorted(names, key=lambda name: (ages[name].st_mtime_ns, name))
        for name in oldest[: len(names) - retention.MAX_DRAFTS]:
            os.unlink(f"{name}.json", dir_fd=folder)
