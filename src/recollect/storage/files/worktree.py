"""The files of the project, read for anchors. Nothing outside the project is read."""

import os
from dataclasses import dataclass
from pathlib import Path

from recollect.errors import NotFoundError, RefusedError
from recollect.records import anchors
from recollect.records.anchors import AnchorState
from recollect.records.json_format import JsonObject
from recollect.records.record import Anchor
from recollect.storage import git

_MAX_BYTES = 10 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class WorkTree:
    """The working tree of a project."""

    folder: Path

    def anchor(self, place: str, start: Path) -> JsonObject:
        """Anchor `path` or `path:10-40`, named from `start`, as it stands now."""
        named, span = anchors.parse_place(place)
        path = self._resolve(start / named)
        if path is None:
            raise RefusedError(f"anchor {place!r} is outside the project {str(self.folder)!r}.")
        text = self._read(path)
        if text is None:
            raise NotFoundError(f"anchor {place!r}: there is no such file to read.")
        relative = path.relative_to(self.folder).as_posix()
        return anchors.anchored(relative, text, span, git.head(self.folder))

    def verdict(self, anchor: Anchor) -> AnchorState:
        """Whether the anchored code still says what it said."""
        path = self._resolve(self.folder / anchor.path)
        return anchors.verdict(anchor, self._read(path) if path else None)

    def _resolve(self, path: Path) -> Path | None:
        """Where `path` leads, if that is inside the project."""
        try:
            real = Path(os.path.realpath(path))
        except ValueError:  # a NUL in a name
            return None
        return real if real.is_relative_to(self.folder) else None

    def drifted(self, rows: str) -> bool:
        """Whether any code of these anchors, given as their JSON rows or nothing, has changed or gone."""
        if not rows:
            return False
        return any(self.verdict(anchor) is not AnchorState.FRESH for anchor in anchors.anchors_of(rows))

    def _read(self, path: Path) -> str | None:
        try:
            if not path.is_file() or path.stat().st_size > _MAX_BYTES:
                return None
            return path.read_bytes().decode("utf-8", "surrogateescape")
        except OSError:
            return None
