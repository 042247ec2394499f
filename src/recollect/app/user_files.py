"""Files that are written for the user, outside of any memory root."""

from pathlib import Path

from recollect.storage.files import atomic


def write_file(path: Path, data: bytes) -> None:
    """Write a file atomically. Links on the way to it are the user's own."""
    atomic.write(path.parent.resolve() / path.name, data, str(path))
