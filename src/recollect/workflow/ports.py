"""What runs are stored in, as ports. Adapters keep it, and one conformance suite tests them all."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from recollect.workflow.commands import Command
from recollect.workflow.events import JournalEntry
from recollect.workflow.grants import Grant
from recollect.workflow.run_state import RunStatus


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run as lists show it."""

    id: str
    intent: str
    status: RunStatus
    started_at: str
    changed_at: str
    events: int


class Journal(Protocol):
    """The events of runs, in order, and the commands that wait for them. Many processes may use it at once.

    What it gets has passed the redaction gate.
    """

    def begin(self, run: str, intent: str, first: JournalEntry) -> None:
        """Make a run with its first event. Raises StoreError when there is one of this id."""
        ...

    def append(
        self, run: str, entries: Sequence[JournalEntry], status: RunStatus, *, sync: bool = False
    ) -> None:
        """Add events, all or none; a command that one of them settles waits no longer.

        `status` is that of the run after them. With `sync` they are on the disk when it returns. Raises
        StoreError, also when the numbers do not follow those that are there.
        """
        ...

    def entries(self, run: str, after: int = 0, limit: int = 1_000_000) -> Sequence[JournalEntry]:
        """The events with numbers above `after`, in order."""
        ...

    def get(self, run: str) -> RunRecord | None:
        """One run."""
        ...

    def runs(self, limit: int) -> Sequence[RunRecord]:
        """The runs that changed last, newest first."""
        ...

    def lease(self, run: str) -> AbstractContextManager[None]:
        """The right to go on with a run, for one process; it ends with the process. Raises LockedError."""
        ...

    def send(self, run: str, command: Command, at: str) -> None:
        """Leave a command for whoever has the run. A command of the same id is left once."""
        ...

    def waiting(self, run: str) -> Sequence[Command]:
        """The commands that nobody has settled, oldest first."""
        ...

    def prune(self, before: str, most: int) -> int:
        """Delete runs that ended before a moment, and the oldest ended ones past `most`; says how many."""
        ...


class Grants(Protocol):
    """Approvals given beforehand. A use is counted once, whoever counts."""

    def add(self, grant: Grant) -> None: ...

    def of(self, tool: str) -> Sequence[Grant]:
        """Every grant for a tool, also one that is used up or has ended, in the order of their expiry."""
        ...

    def use(self, id: str, now: str) -> bool:
        """Take one use; false when none is left or it has expired. A grant ends with its last use."""
        ...

    def prune(self, before: str) -> int:
        """Delete grants that ended before a moment; says how many."""
        ...

    def remove(self, id: str) -> bool:
        """Take a grant back; false when there is none."""
        ...
