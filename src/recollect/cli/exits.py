"""Exit codes, and which error gives which: the one table of this door."""

from enum import IntEnum
from typing import TypedDict

from recollect.errors import (
    ConflictError,
    InvalidError,
    NotFoundError,
    RecollectError,
    StoreError,
)


class Exit(IntEnum):
    """What a command's exit code says."""

    OK = 0
    FAILED = 1
    USAGE = 2
    NOT_FOUND = 3
    CONFLICT = 4
    INVALID = 5
    DUPLICATE = 6
    STORE = 7
    UNHEALTHY = 8
    REGRESSED = 9
    INTERRUPTED = 130


class ErrorOutput(TypedDict):
    """What any command prints on standard output with `--json` when it fails."""

    error: str
    exit_code: int


MEANINGS: dict[Exit, str] = {
    Exit.OK: "done, or nothing to do",
    Exit.FAILED: "an unexpected error; the message says what to report",
    Exit.USAGE: "the command line itself is wrong; the help is named",
    Exit.NOT_FOUND: "no such memory, file or memory root",
    Exit.CONFLICT: "somebody else changed the memory first; nothing was overwritten",
    Exit.INVALID: "the input cannot be accepted as it is; nothing was written",
    Exit.DUPLICATE: "`save` found a memory that says this already; nothing was written",
    Exit.STORE: "the disk, a lock or a path said no",
    Exit.UNHEALTHY: "`doctor` found errors, or `redact --scan` secrets",
    Exit.REGRESSED: "`bench` measured worse than it was, or than is promised",
    Exit.INTERRUPTED: "interrupted by Ctrl-C, or a question answered with no",
}

_OF_ERRORS: tuple[tuple[type[RecollectError], Exit], ...] = (
    (NotFoundError, Exit.NOT_FOUND),
    (ConflictError, Exit.CONFLICT),
    (InvalidError, Exit.INVALID),
    (StoreError, Exit.STORE),
)


def exit_of(error: RecollectError) -> Exit:
    """The exit code of an error."""
    return next((code for kind, code in _OF_ERRORS if isinstance(error, kind)), Exit.FAILED)
