"""The engines that store what is no memory: files with SQLite, and PostgreSQL. Every suite runs on both.

A folder stands for a project, or for a user's gateway. The same folder again opens the same stores, as
another process would.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from recollect.app.review.source import Dismissals
from recollect.app.stores import GatewayStores, StateStores
from recollect.gateway.ports import Vault
from recollect.gateway.vault.retention import Limits
from recollect.paths import STATE_NAME
from recollect.records.redaction_port import RedactionGate
from recollect.storage.files.dismissals import FileDismissals
from recollect.storage.files.drafts import FileDrafts
from recollect.storage.files.vault import FileVault
from recollect.storage.postgres.database import Database, ProjectDatabase, ProjectKey
from recollect.storage.postgres.dismissals import PostgresDismissals
from recollect.storage.postgres.drafts import PostgresDrafts
from recollect.storage.postgres.gateway_database import PostgresGateway
from recollect.storage.postgres.state import PostgresState
from recollect.storage.postgres.vault import PostgresVault
from recollect.storage.sqlite.gateway_database import GatewayDatabase
from recollect.storage.sqlite.state import StateDatabase
from recollect.working.ports import DraftStore

ENGINES = ("sqlite", "postgres")
OpenState = Callable[[Path], StateStores]
OpenGateway = Callable[[Path], GatewayStores]


@dataclass(frozen=True, slots=True)
class Engine:
    """One engine. PostgreSQL has a database; without one it is SQLite beside files."""

    database: Database | None = None

    def state(self, folder: Path) -> StateStores:
        if self.database is None:
            return StateDatabase(str(folder / STATE_NAME))
        return PostgresState(project_of(self.database, folder))

    def gateway(self, folder: Path) -> GatewayStores:
        if self.database is None:
            return GatewayDatabase(str(folder / "gateway.db"))
        return PostgresGateway(project_of(self.database, folder), "ada")

    def drafts(self, folder: Path, gate: RedactionGate) -> DraftStore:
        if self.database is None:
            return FileDrafts(folder, gate)
        return PostgresDrafts(project_of(self.database, folder), gate)

    def dismissals(self, folder: Path) -> Dismissals:
        if self.database is None:
            return FileDismissals(folder)
        return PostgresDismissals(project_of(self.database, folder))

    def vault(self, folder: Path, limits: Limits, now: Callable[[], float]) -> Vault:
        if self.database is None:
            return FileVault(folder, limits, now)
        return PostgresVault(project_of(self.database, folder), limits, now)


def project_of(database: Database, folder: Path) -> ProjectDatabase:
    """The project that a folder stands for, made if it is new."""
    key = ProjectKey(hashlib.sha256(str(folder).encode()).hexdigest()[:32])
    with database.transaction(key) as connection:
        connection.execute(
            "INSERT INTO project (project, name) VALUES (%s, %s) ON CONFLICT DO NOTHING",
            (key, folder.name),
        )
    return database.project(key)
