"""The vault of a team's database, with files on this machine for what agents open by path."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.gateway.ports import Vault
from recollect.gateway.vault.content import Part, StoredResult
from recollect.storage.files.part_files import PartFiles


@dataclass(frozen=True, slots=True)
class DatabaseVault:
    """A vault whose binary parts are also files here."""

    vault: Vault
    files: PartFiles

    def put(self, tool: str, parts: Sequence[Part]) -> StoredResult:
        """Store a result for the whole project, and its binary parts as files here."""
        return self.files.with_files(self.vault.put(tool, parts))

    def get(self, handle: str) -> StoredResult:
        """A result that anybody of the project stored, with files here."""
        return self.files.with_files(self.vault.get(handle))
