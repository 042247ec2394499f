"""What a person wants to see no more, as a file in the state folder: adapter of `Dismissals`."""

import json
from pathlib import Path

from recollect.errors import StoreError
from recollect.paths import DISMISSALS_NAME, read_below
from recollect.storage import private, retention
from recollect.storage.files import atomic

_MOST_BYTES = 4 * 1024 * 1024


class FileDismissals:
    """The dismissals of one memory root. A file that cannot be read counts as empty."""

    def __init__(self, state: Path) -> None:
        self._folder = state

    def all(self) -> frozenset[str]:
        return frozenset(self._read())

    def add(self, key: str) -> None:
        self._write(
            [*(other for other in self._read() if other != key), key][-retention.MAX_DISMISSALS :]
        )

    def remove(self, key: str) -> None:
        self._write([other for other in self._read() if other != key])

    def _read(self) -> list[str]:
        try:
            with atomic.opened(self._folder) as folder:
                keys = json.loads(read_below(folder, DISMISSALS_NAME, _MOST_BYTES))
        except (OSError, StoreError, ValueError, RecursionError):
            return []
        return [key for key in keys if isinstance(key, str)] if isinstance(keys, list) else []

    def _write(self, keys: list[str]) -> None:
        data = json.dumps(keys, indent=0).encode() + b"\n"
        with atomic.opened(self._folder, private.FOLDER) as folder:
            shown = f"{self._folder}/{DISMISSALS_NAME}"
            atomic.write_below(folder, DISMISSALS_NAME, data, shown, private=True)
