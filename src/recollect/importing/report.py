"""What an import will do, or did: one row for each part of the source."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from recollect.ids import MemoryId
from recollect.records.json_format import Json
from recollect.records.record import Memory
from recollect.records.redaction_port import SecretFinding
from recollect.records.store import Stored

ALREADY_IMPORTED = "already imported"
ALREADY_HERE = "already here"
EDITED_HERE = "edited here since the last import, and the source changed too"


class ImportAction(StrEnum):
    """What an import does with a part of its source."""

    CREATE = "create"
    UPDATE = "update"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class ImportRow:
    """A part of the source and what the import does with it.

    `memory` is what a create writes; `old` and `fields` are what an update changes; `text` is what a part
    says that is skipped.
    """

    origin: str
    action: ImportAction
    id: MemoryId | None = None
    title: str = ""
    reason: str = ""
    notes: tuple[str, ...] = ()
    redacted: tuple[SecretFinding, ...] = ()
    memory: Memory | None = None
    old: Stored | None = None
    fields: Mapping[str, Json] = field(default_factory=dict)
    text: str = ""


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import will do, or did, in the order of its source."""

    rows: tuple[ImportRow, ...]

    def of(self, action: ImportAction) -> list[ImportRow]:
        return [row for row in self.rows if row.action is action]
