"""Drafts as files in the state folder, where no search and no prompt sees them: adapter of `DraftStore`.

One file each, `.recollect/drafts/NAME.json`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.errors import NotFoundError
from recollect.ids import slug
from recollect.paths import DRAFTS_FOLDER, read_plain
from recollect.records.json_format import MAX_BYTES
from recollect.storage import private
from recollect.storage.files import atomic
from recollect.working.draft import StoredDraft

if TYPE_CHECKING:
    from recollect.records.redaction_port import RedactionGate

_MOST = 200  # drafts; the oldest make room


class FileDrafts:
    """The drafts of one memory root. An error in the gate stops the write."""

    def __init__(self, state: str | Path, gate: RedactionGate) -> None:
        self._folder = Path(state, DRAFTS_FOLDER)
        self._gate = gate

    def put(self, name: str, document: dict[str, Any]) -> str:
        """Redact and store a draft in place of the one of that name. The name it is stored under."""
        clean, _ = self._gate(document)
        private.make_folder(self._folder)
        stored_name = slug(name, fallback="draft")
        path = self._path(stored_name)
        data = json.dumps(clean, ensure_ascii=False, indent=2).encode("utf-8", "replace") + b"\n"
        if not path.exists() or read_plain(str(path), MAX_BYTES) != data:
            atomic.write(path, data, str(path), private=True)
        self._make_room()
        atomic.remove_abandoned(self._folder)
        return stored_name

    def all(self) -> list[StoredDraft]:
        """Every draft that can be read, by name."""
        drafts = [self._read(name) for name in self._names()]
        return [draft for draft in drafts if draft is not None]

    def get(self, name: str) -> StoredDraft:
        """A draft by its name. Raises NotFoundError that lists some names there are."""
        names = self._names()
        draft = self._read(name) if name in names else None
        if draft is None:
            known = ", ".join(names[:5]) or "none"
            raise NotFoundError(
                f"there is no draft {name!r}; there is {known}. `recollect session drafts` lists them."
            )
        return draft

    def drop(self, name: str) -> None:
        """Delete a draft. Raises NotFoundError for an unknown name."""
        self.get(name)
        self._path(name).unlink()

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.json"

    def _names(self) -> list[str]:
        try:
            names = [path.stem for path in self._folder.iterdir() if path.suffix == ".json"]
        except OSError:
            return []
        return sorted(name for name in names if not name.startswith("."))

    def _read(self, name: str) -> StoredDraft | None:
        try:
            document = json.loads(read_plain(str(self._path(name)), MAX_BYTES))
        except (OSError, ValueError, RecursionError):
            return None
        return StoredDraft(name, document) if isinstance(document, dict) else None

    def _make_room(self) -> None:
        names = self._names()
        if len(names) > _MOST:
            oldest = sorted(names, key=lambda name: (self._path(name).stat().st_mtime_ns, name))
            for name in oldest[: len(names) - _MOST]:
                self._path(name).unlink()
