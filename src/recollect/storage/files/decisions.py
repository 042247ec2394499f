"""The last decisions of a review, as a file in the state folder: adapter of `Decisions`."""

import json
import os
from contextlib import suppress
from pathlib import Path

from recollect.errors import StoreError
from recollect.paths import DECISIONS_NAME, read_below
from recollect.records.json_format import JsonObject
from recollect.storage import private
from recollect.storage.files import atomic

_MOST = 20  # decisions; the oldest make room
_MOST_BYTES = 4 * 1024 * 1024


class FileDecisions:
    """The decisions of one memory root. A file that cannot be read counts as empty."""

    def __init__(self, state: Path) -> None:
        self._folder = state

    def add(self, decision: JsonObject) -> None:
        self._write([*self._read(), decision][-_MOST:])

    def take(self) -> JsonObject | None:
        decisions = self._read()
        if not decisions:
            return None
        self._write(decisions[:-1])
        return decisions[-1]

    def clear(self) -> None:
        with suppress(OSError, StoreError), atomic.opened(self._folder) as folder:
            os.unlink(DECISIONS_NAME, dir_fd=folder)

    def _read(self) -> list[JsonObject]:
        try:
            with atomic.opened(self._folder) as folder:
                rows = json.loads(read_below(folder, DECISIONS_NAME, _MOST_BYTES))
        except (OSError, StoreError, ValueError, RecursionError):
            return []
        return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []

    def _write(self, decisions: list[JsonObject]) -> None:
        data = json.dumps(decisions, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        with atomic.opened(self._folder, private.FOLDER) as folder:
            shown = f"{self._folder}/{DECISIONS_NAME}"
            atomic.write_below(folder, DECISIONS_NAME, data, shown, private=True)
