"""One thing that a look at the root found."""

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How much it matters: an error keeps a memory from being served, a warning may mislead."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Mend(StrEnum):
    """What `doctor --fix` does, in this order; each is safe to do twice."""

    CLOSE_SUPERSEDED = "end the validity of what is superseded"
    REMOVE_LEFTOVERS = "remove temp files of writers that died"
    INSTALL_DRIVER = "tell git how to merge memories"
    WRITE_ATTRIBUTES = "tell git which files to merge so"
    REWRITE = "write the file as plain UTF-8 with Unix line ends"
    REBUILD_INDEX = "write index.md anew"


@dataclass(frozen=True, slots=True)
class HealthFinding:
    """What was found, where, and what to do. `mend` is set when `--fix` can do it."""

    check: str
    level: Level
    message: str
    advice: str
    path: str | None = None
    line: int | None = None
    mend: Mend | None = None
