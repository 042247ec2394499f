"""What a file says, parsed again only after the file changed."""

import os
import time
from collections.abc import Callable
from typing import Generic, TypeVar

_SETTLED = 2_000_000_000  # nanoseconds: two changes within a file system's clock tick have one time

_T = TypeVar("_T")


class FileValue(Generic[_T]):
    """The value that `parse` makes of a file: the same object until the file is another one.

    A file that changed seconds ago is parsed anew each time, because a second change might not show.
    """

    def __init__(self, path: str, parse: Callable[[], _T]) -> None:
        self._path, self._parse = path, parse
        self._parsed: tuple[object, _T] | None = None

    def get(self) -> _T:
        """The value. Raises what `parse` raises."""
        signature = _signature(self._path)
        if self._parsed is not None and signature is not None and self._parsed[0] == signature:
            return self._parsed[1]
        value = self._parse()
        if self._parsed is not None and self._parsed[1] == value:
            value = self._parsed[1]
        self._parsed = signature, value
        return value


def _signature(path: str) -> object:
    """What tells two contents of a file apart without reading it; None when nothing does."""
    try:
        status = os.lstat(path)
    except OSError as error:
        return error.errno
    if abs(time.time_ns() - status.st_ctime_ns) < _SETTLED:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
