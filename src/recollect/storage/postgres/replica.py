"""Reads of a project from a replica, as long as it is not behind.

Each read compares the version of the index on both: one row of the primary, and the work is the replica's. So
a search never misses a memory that was saved. While the primary is down, the replica answers as it is.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from recollect.errors import StoreError
from recollect.storage.postgres.database import Connection, Database, ProjectDatabase

_PAUSE = 30.0  # seconds for which a replica that failed is not asked
_VERSION = "SELECT version FROM index_state WHERE project = %s"


class ReplicatedProject(ProjectDatabase):
    """A project whose reads a replica answers. Writes, and reads inside them, go to the primary."""

    def __init__(
        self,
        primary: ProjectDatabase,
        replica: Database,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(primary.database, primary.key)
        self._primary, self._replica, self._clock = primary, replica, clock
        self._paused_until = float("-inf")

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A read transaction on the replica; on the primary while that is behind or down, or in a write."""
        with ExitStack() as stack:
            connection = None if self._needs_primary() else self._on_replica(stack)
            if connection is None:
                connection = stack.enter_context(
                    self._primary.reading() if not self.in_transaction else super().reading()
                )
            yield connection

    def _needs_primary(self) -> bool:
        is_open = self.in_transaction or self._primary.in_transaction
        return is_open or self._clock() < self._paused_until

    def _on_replica(self, stack: ExitStack) -> Connection | None:
        try:
            opened = ExitStack()
            with opened:
                connection = opened.enter_context(self._replica.transaction(self.key, read_only=True))
                opened.enter_context(self._noted(connection, read_only=True))
                if not self._is_current(connection):
                    return None
                stack.push(opened.pop_all())
                return connection
        except StoreError:
            self._paused_until = self._clock() + _PAUSE
            return None

    def _is_current(self, connection: Connection) -> bool:
        there = connection.execute(_VERSION, (self.key,)).fetchone()
        try:
            with self._primary.reading() as primary:
                return bool(primary.execute(_VERSION, (self.key,)).fetchone() == there)
        except StoreError:
            return there is not None
