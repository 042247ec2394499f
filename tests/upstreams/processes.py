"""Processes by the mark that they carry in their arguments, to see that none is left."""

import time
from pathlib import Path


def marked(mark: str) -> set[int]:
    """The living processes whose command line contains the mark."""
    processes = set()
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                line = (folder / "cmdline").read_bytes()
                state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if mark.encode() in line and state != "Z":
                processes.add(int(folder.name))
    return processes


def wait_until_started(mark: str, count: int, seconds: float = 30.0) -> set[int]:
    """Wait until so many marked processes live; a process that starts has no command line for a moment."""
    deadline = time.monotonic() + seconds
    while len(processes := marked(mark)) < count and time.monotonic() < deadline:
        time.sleep(0.05)
    return processes


def wait_until_gone(mark: str, seconds: float = 30.0, *, besides: int = 0) -> set[int]:
    """Wait until no marked process is left `besides` one; returns those that are after `seconds`."""
    deadline = time.monotonic() + seconds
    while (left := marked(mark) - {besides}) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left
