"""What upstream servers wrote to their standard error."""

from collections.abc import Sequence
from pathlib import Path


def log_lines(path: Path, most: int) -> Sequence[str]:
    """The last lines of a server's log; none before its first start."""
    lines: list[str] = []
    for file in (path.with_name(path.name + ".1"), path):
        try:
            lines += file.read_text("utf-8", "replace").splitlines()
        except OSError:
            continue
    return lines[-most:]
