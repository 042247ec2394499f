"""The files of the project, read for anchors. Nothing outside the project is read."""

import os
from dataclasses import dataclass
from pathlib import Path

from recollect.errors import NotFoundError, RefusedError
from recollect.paths import read_inside
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
        """Anchor the current text of `path` or `path:10-40`, relative to `start`."""
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
        """Whether the anchored code is unchanged."""
        path = self._resolve(self.folder / anchor.path)
        return anchors.verdict(anchor, self._read(path) if path else None)

    def _resolve(self, path: Path) -> Path | None:
        """The real path of `path`; None if it is outside the project."""
        try:
            real = Path(os.path.realpath(path))
        except (OSError, ValueError):  # swapped meanwhile; a NUL in a name
            return None
        return real if real.is_relative_to(self.folder) else None

    def drifted(self, rows: str) -> bool:
        """Whether the code of any of these anchors (as JSON rows) has changed or is missing."""
        if not rows:
            return False
        return any(self.verdict(anchor) is not AnchorState.FRESH for anchor in anchors.anchors_of(rows))

    def _read(self, path: Path) -> str | None:
        try:
            data = read_inside(str(path), str(self.folder), _MAX_BYTES)
        except OSError:
            return None
        return data.decode("utf-8", "surrogateescape")
