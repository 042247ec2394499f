"""Changing a configuration file."""

from pathlib import Path
from typing import TYPE_CHECKING

from recollect import config as configuration
from recollect.storage.files import atomic

if TYPE_CHECKING:
    pass


def set_value(path: Path, key: str, value: str) -> None:
    """Set one key of a configuration file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    before = path.read_text("utf-8-sig") if path.exists() else ""
    atomic.write(path, configuration.with_value(before, key, value).encode(), str(path))
