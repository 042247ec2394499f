"""Exit codes: what each means, and which error leads to which."""

from enum import IntEnum
from typing import TypedDict

from recollect.errors import (
    ConflictError,
    InvalidError,
    NotFoundError,
    RecollectError,
    StoreError,
    UpstreamError,
)


class Exit(IntEnum):
    """What a command's exit code means."""

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
    UPSTREAM = 10
    UNDECIDED = 11
    INTERRUPTED = 130


class ErrorOutput(TypedDict):
    """What any command prints on standard output with `--json` when it fails."""

    error: str
    exit_code: int


MEANINGS: dict[Exit, str] = {
    Exit.OK: "done, or nothing to do",
    Exit.FAILED: "an unexpected error; the message says what to report",
    Exit.USAGE: "the command line is wrong; the message names the help",
    Exit.NOT_FOUND: "the memory, file or memory root does not exist",
    Exit.CONFLICT: "someone else changed the memory first; nothing was overwritten",
    Exit.INVALID: "the input is not valid; nothing was written",
    Exit.DUPLICATE: "`save` found a memory that already says this; nothing was written",
    Exit.STORE: "the disk, a lock or a path prevented it",
    Exit.UNHEALTHY: "`doctor` found errors, or `redact --scan` found secrets",
    Exit.REGRESSED: "`bench` measured a worse result than before, or than promised",
    Exit.UPSTREAM: "a server behind the gateway could not be started, or did not answer",
    Exit.UNDECIDED: "a person has to decide, but there is no terminal; nothing was written; `--yes` decides",
    Exit.INTERRUPTED: "interrupted by Ctrl-C, or the user answered no",
}

_OF_ERRORS: tuple[tuple[type[RecollectError], Exit], ...] = (
    (NotFoundError, Exit.NOT_FOUND),
    (ConflictError, Exit.CONFLICT),
    (InvalidError, Exit.INVALID),
    (StoreError, Exit.STORE),
    (UpstreamError, Exit.UPSTREAM),
)


def exit_of(error: RecollectError) -> Exit:
    """The exit code of an error."""
    return next((code for kind, code in _OF_ERRORS if isinstance(error, kind)), Exit.FAILED)
