"""What the gateway knows of one member's servers in one project. Nobody reads another member's."""

from contextlib import AbstractContextManager

from recollect.storage.postgres.catalogue import PostgresCatalogue
from recollect.storage.postgres.database import ProjectDatabase
from recollect.storage.postgres.member_rows import MemberRows
from recollect.storage.postgres.observed import PostgresObservedSchemas
from recollect.storage.postgres.pins import PostgresPins
from recollect.storage.postgres.policy import PostgresPolicy
from recollect.storage.postgres.projections import PostgresProjections
from recollect.storage.postgres.receipts import PostgresReceipts
from recollect.storage.postgres.speculations import PostgresSpeculations


class PostgresGateway:
    """The stores of one member's gateway over the pool of connections."""

    def __init__(self, database: ProjectDatabase, member: str) -> None:
        self._rows = rows = MemberRows(database, member)
        self.catalogue = PostgresCatalogue(rows)
        self.receipts = PostgresReceipts(rows)
        self.speculations = PostgresSpeculations(rows)
        self.pins = PostgresPins(rows)
        self.observed = PostgresObservedSchemas(rows)
        self.policy = PostgresPolicy(rows)
        self.projections = PostgresProjections(rows)

    def transaction(self, *, of_a_call: bool = False) -> AbstractContextManager[None]:
        """Read, compute and write without another writer in between; inside another one, as a part of it."""
        return self._rows.transaction(of_a_call=of_a_call)

    def version(self) -> int:
        """A number that grows when anybody changes what calls depend on."""
        return self._rows.version()

    def close(self) -> None:
        """The pool goes on; there is nothing to close."""
