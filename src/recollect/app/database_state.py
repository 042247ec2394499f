"""What is no memory of a project in a team's database, with what hooks recorded on this machine."""

from dataclasses import dataclass
from pathlib import Path

from recollect.app.database_vault import DatabaseVault
from recollect.app.hook_spool import HookSpool
from recollect.app.review.source import Dismissals
from recollect.app.state_source import StateSource, StateVersions
from recollect.app.stores import StateStores
from recollect.app.team_rows import team_rows
from recollect.config import Config
from recollect.errors import StoreError
from recollect.gateway.ports import Vault
from recollect.records.redaction_port import RedactionGate
from recollect.storage.files.part_files import PartFiles
from recollect.storage.postgres.change_counts import ChangeCounts
from recollect.storage.postgres.database import ProjectDatabase
from recollect.storage.postgres.dismissals import PostgresDismissals
from recollect.storage.postgres.drafts import PostgresDrafts
from recollect.storage.postgres.state import PostgresState
from recollect.storage.postgres.vault import PostgresVault
from recollect.storage.project import Project
from recollect.working.ports import DraftStore


@dataclass(frozen=True, slots=True)
class DatabaseState:
    """The rows of a project, and its state folder on this machine, where hooks write."""

    rows: ProjectDatabase
    local: StateSource
    folder: Path

    def exists(self) -> bool:
        return True

    def is_foreign(self) -> bool:
        return False

    def prepare(self) -> None:
        self.local.prepare()

    def open(self) -> StateStores:
        stores = PostgresState(self.rows)
        HookSpool(self.local, self.folder).bring_in(stores)
        return stores

    def drafts(self, gate: RedactionGate) -> DraftStore:
        drafts = PostgresDrafts(self.rows, gate)
        HookSpool(self.local, self.folder).bring_in_drafts(drafts, gate)
        return drafts

    def dismissals(self) -> Dismissals:
        return PostgresDismissals(self.rows)

    def vault(self) -> Vault:
        return DatabaseVault(PostgresVault(self.rows), PartFiles(self.folder))

    def adopt(self) -> bool:
        return self.local.adopt()

    def erase(self, memory: str) -> bool:
        here = self.local.erase(memory)
        try:
            return PostgresState(self.rows).erase(memory) and here
        except StoreError:
            return False

    def versions(self) -> StateVersions:
        here, counts = self.local.versions(), ChangeCounts(self.rows)
        return StateVersions(
            here.sessions + counts.sessions(),
            counts.runs(),
            here.traces + counts.traces(),
            here.review + counts.waiting(),
        )


def open_database_state(project: Project, config: Config, local: StateSource) -> StateSource:
    """The state of a project in the database that is configured. Raises StoreError."""
    return DatabaseState(team_rows(project, config), local, project.root.state)
