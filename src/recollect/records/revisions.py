"""Earlier versions of a memory's file: the port of whatever stores them. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Revision:
    """One recorded change of a file. `name` identifies it, `at` is a moment in ISO 8601."""

    name: str
    at: str
    author: str
    summary: str


@dataclass(frozen=True, slots=True)
class RevisionTexts:
    """A file before and after a change; empty where there was none."""

    before: str
    after: str


class RevisionLog(Protocol):
    """Stores earlier versions of files. A file that it does not know has no revisions."""

    def revisions(self, file: str, limit: int) -> Sequence[Revision]:
        """The last changes of a file, the newest first."""
        ...

    def texts(self, file: str, revision: str) -> RevisionTexts | None:
        """A file before and after a revision; None when there is no such revision of it."""
        ...
