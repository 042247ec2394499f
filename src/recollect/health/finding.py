"""One problem that a check found."""

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How much it matters: with an error a memory is not found, with a warning it may mislead."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Fix(StrEnum):
    """What `doctor --fix` does, in this order; each is safe to repeat."""

    CLOSE_SUPERSEDED = "end the validity of superseded memories"
    REMOVE_LEFTOVERS = "remove temporary files of processes that died"
    INSTALL_DRIVER = "tell git how to merge memories"
    WRITE_ATTRIBUTES = "tell git which files to merge that way"
    REWRITE = "rewrite the file as plain UTF-8 with Unix line endings"
    REBUILD_INDEX = "rewrite index.md"


@dataclass(frozen=True, slots=True)
class HealthFinding:
    """A problem, where it is, and what to do about it. `fix` is set when `--fix` can do it."""

    check: str
    level: Level
    message: str
    advice: str
    path: str | None = None
    line: int | None = None
    fix: Fix | None = None
