"""What an import would do, or did: one row for each thing found."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from recollect.ids import MemoryId
from recollect.records.gate import Finding
from recollect.records.json_format import Json
from recollect.records.record import Memory
from recollect.records.store import Stored

ALREADY_IMPORTED = "already imported"
ALREADY_HERE = "already here"
EDITED_HERE = "edited here since it was imported; both differ"


class Action(StrEnum):
    """What becomes of something found."""

    CREATE = "create"
    UPDATE = "update"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class Row:
    """One thing found and what is to be done with it, or was.

    `memory` is what a create writes; `old` and `fields` are what an update changes.
    """

    origin: str
    action: Action
    id: MemoryId | None = None
    title: str = ""
    reason: str = ""
    notes: tuple[str, ...] = ()
    redacted: tuple[Finding, ...] = ()
    memory: Memory | None = None
    old: Stored | None = None
    fields: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """What an import would do, in the order of its source."""

    rows: tuple[Row, ...]

    def of(self, action: Action) -> list[Row]:
        return [row for row in self.rows if row.action is action]


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did: its rows as they turned out, and the memories whose validity it ended."""

    rows: tuple[Row, ...]
    superseded: tuple[MemoryId, ...] = ()

    def of(self, action: Action) -> list[Row]:
        return [row for row in self.rows if row.action is action]
