"""Is it a person who gives this command? An agent's shell has its harness among the processes above it.

This keeps an agent from approving by mistake or on its own initiative. It is no proof: a process of the same
user that wants to can leave its parent's tree (docs/guides/security.md).
"""

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

from recollect.agents.harnesses import all_harnesses
from recollect.errors import NotPermittedError

_MOST = 64  # processes above one


@dataclass(frozen=True, slots=True)
class ParentProcess:
    """A process above this one, with its command line."""

    id: int
    words: tuple[str, ...]


def require_person(what: str) -> None:
    """Raises NotPermittedError when an agent's harness or a server of ours started this process."""
    for process in _above(os.getpid()):
        if (program := agent_program(process.words)) is not None:
            raise NotPermittedError(
                f"{what} is reserved for a person, and {program} (process {process.id}) started this "
                "command; run it in a terminal of your own."
            )


def agent_program(words: tuple[str, ...]) -> str | None:
    """The harness or server that a command line starts; None for any other program."""
    programs = {program for harness in all_harnesses() for program in harness.presence.programs}
    names = [PurePath(word).name.removesuffix(".js") for word in words[:3]]
    for name in names:
        if name in programs:
            return name
    if "recollect" in names and "serve" in words:
        return "recollect serve"
    return None


def _above(process: int) -> Iterator[ParentProcess]:
    for _ in range(_MOST):
        parent = _parent(process)
        if parent is None or parent.id <= 1:
            return
        yield parent
        process = parent.id


def _parent(process: int) -> ParentProcess | None:
    """The parent of a process, asked of `ps`, which Linux and macOS have."""
    columns = ["ps", "-o", "ppid=", "-p", str(process)]
    parent = subprocess.run(columns, capture_output=True, text=True, check=False).stdout.strip()
    if not parent.isdigit():
        return None
    words = ["ps", "-o", "args=", "-p", parent]
    line = subprocess.run(words, capture_output=True, text=True, check=False).stdout
    return ParentProcess(int(parent), tuple(line.split()))
