"""Binary parts of results that a database stores, as files of this machine: agents open them by path."""

import mimetypes
import os
import re
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from recollect.errors import StoreError
from recollect.gateway.vault.content import BinaryPart, StoredPart, StoredResult
from recollect.gateway.vault.retention import MAX_AGE
from recollect.storage import private
from recollect.storage.files import atomic
from recollect.storage.result_handles import HANDLE

_FOLDER = "parts"
_ENDING = re.compile(r"[a-z0-9]{1,12}")


class PartFiles:
    """Copies of binary parts below a state folder, each result in a folder of its own. Any may go."""

    def __init__(self, state: Path, now: Callable[[], float] = time.time) -> None:
        self._folder, self._now = state / _FOLDER, now

    def with_files(self, result: StoredResult) -> StoredResult:
        """The result with a file for each binary part; where none can be written, a part has none."""
        if not any(isinstance(stored.part, BinaryPart) for stored in result.parts):
            return result
        self._tidy()
        return replace(
            result, parts=tuple(self._with_file(result.handle, part) for part in result.parts)
        )

    def _with_file(self, handle: str, stored: StoredPart) -> StoredPart:
        if not isinstance(stored.part, BinaryPart):
            return stored
        folder, name = self._folder / handle, f"{stored.number}.{ending_of(stored.part.mime)}"
        try:
            with atomic.opened(folder, private.FOLDER, shown=str(folder)) as opened:
                if name not in os.listdir(opened):
                    shown = str(folder / name)
                    atomic.write_below(opened, name, stored.part.data, shown, private=True)
        except (StoreError, OSError):
            return stored
        return replace(stored, file=str(folder / name))

    def _tidy(self) -> None:
        """Delete copies of results that have expired."""
        with suppress(StoreError, OSError), atomic.opened(self._folder, private.FOLDER) as folder:
            for name in filter(HANDLE.fullmatch, os.listdir(folder)):
                written = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mtime
                if self._now() - written > MAX_AGE:
                    shutil.rmtree(name, dir_fd=folder, ignore_errors=True)


def ending_of(mime: str) -> str:
    """The ending of a file of a media type; `bin` for one that is not known."""
    ending = (mimetypes.guess_extension(mime.partition(";")[0]) or "").removeprefix(".")
    return ending if _ENDING.fullmatch(ending) else "bin"
