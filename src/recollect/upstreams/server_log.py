"""The log of a server: what it wrote to standard error, and lines of ours about it."""

import os
from contextlib import suppress
from pathlib import Path

from recollect.upstreams.guardian import open_log

_LAST_WORDS = 300  # characters that an error quotes


def append(log: str, text: str) -> None:
    """Add a line; a full disk loses it and nothing else."""
    with suppress(OSError):
        file = open_log(log)
        try:
            os.write(file, text.encode("utf-8", "backslashreplace"))
        finally:
            os.close(file)


def last_words(log: str | Path) -> str:
    """The end of a log, for an error about its server."""
    try:
        text = Path(log).read_bytes()[-_LAST_WORDS:].decode("utf-8", "replace")
    except OSError:
        return ""
    last = " ".join(text.split())
    return f", and last wrote: {last}" if last else ""
