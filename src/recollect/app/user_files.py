"""Files that are written for the user, outside of any memory root."""

from pathlib import Path

from recollect.storage.files import atomic


def write_file(path: Path, data: bytes) -> None:
    """Write a file atomically."""
    atomic.write(path, data, str(path))
