"""Sessions, runs and what was learned in one project: every store of it over the same pool of connections."""

from contextlib import AbstractContextManager

from recollect.storage.postgres.call_sequences import PostgresSequences
from recollect.storage.postgres.capabilities import PostgresCapabilities
from recollect.storage.postgres.database import ProjectDatabase
from recollect.storage.postgres.episodes import PostgresEpisodes
from recollect.storage.postgres.grants import PostgresGrants
from recollect.storage.postgres.history import PostgresHistory
from recollect.storage.postgres.injections import PostgresInjections
from recollect.storage.postgres.journal import PostgresJournal
from recollect.storage.postgres.project_rows import ProjectRows
from recollect.storage.postgres.sessions import PostgresSessions
from recollect.storage.postgres.thresholds import PostgresThresholds
from recollect.storage.postgres.tool_edges import PostgresToolGraph
from recollect.storage.postgres.traces import PostgresTraces
from recollect.storage.postgres.turns import PostgresTurns

_ROWS_OF_A_MEMORY = (
    "DELETE FROM injection WHERE project = %(project)s AND memory = ANY(%(names)s)",
    "DELETE FROM waiting_memory WHERE project = %(project)s AND memory = ANY(%(names)s)",
    "DELETE FROM fix WHERE project = %(project)s AND memory = ANY(%(names)s)",
    "DELETE FROM trace WHERE project = %(project)s AND candidate = ANY(%(names)s)",
    "UPDATE session SET summary_memory = ''"
    " WHERE project = %(project)s AND summary_memory = ANY(%(names)s)",
)


class PostgresState:
    """The PostgreSQL adapter of `SessionDatabase`, with the stores of runs and of learning.

    It has no connection of its own: each statement, or each transaction, borrows one of the pool.
    """

    def __init__(self, database: ProjectDatabase) -> None:
        self._rows = rows = ProjectRows(database)
        self.sessions = PostgresSessions(rows)
        self.injections = PostgresInjections(rows)
        self.history = PostgresHistory(rows)
        self.turns = PostgresTurns(rows)
        self.journal = PostgresJournal(rows)
        self.grants = PostgresGrants(rows)
        self.tool_graph = PostgresToolGraph(rows)
        self.sequences = PostgresSequences(rows)
        self.capabilities = PostgresCapabilities(rows)
        self.episodes = PostgresEpisodes(rows)
        self.thresholds = PostgresThresholds(rows)
        self.traces = PostgresTraces(rows)

    def erase(self, id: str) -> bool:
        """Erase what is recorded about a memory."""
        with self._rows.transaction("traces"), self._rows.transaction("sessions"):
            for statement in _ROWS_OF_A_MEMORY:
                self._rows.write(statement, names=[id, f"mem:{id}"])
        return True

    def transaction(self) -> AbstractContextManager[None]:
        """Load, compute and save without another writer of the project's sessions in between."""
        return self._rows.transaction("sessions")

    def close(self) -> None:
        """The pool goes on; there is nothing to close."""
