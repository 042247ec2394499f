"""Memories between files and a team's database: what was moved, and what both sides changed."""

from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from recollect.app.moving import MoveReport
    from recollect.app.syncing import SyncReport


class MigrateOutput(TypedDict):
    """`recollect migrate`: both sides were read again in the end, and have the same bytes."""

    source: str
    target: str
    moved: int
    already_there: int
    memories: int
    unreadable: list[str]
    links: int
    bytes: int


class ClashRow(TypedDict):
    """A field that both sides changed; null where one has none."""

    field: str
    files: Any
    database: Any


class SyncConflictRow(TypedDict):
    """A memory that both sides changed in a way that a person has to decide."""

    path: str
    reason: str
    fields: list[ClashRow]


class SyncOutput(TypedDict):
    """`recollect sync`: paths by what was done."""

    to_database: list[str]
    to_files: list[str]
    merged: list[str]
    conflicts: list[SyncConflictRow]


def migrate_output(report: "MoveReport") -> MigrateOutput:
    """A move."""
    return {
        "source": report.source,
        "target": report.target,
        "moved": report.moved,
        "already_there": report.already_there,
        "memories": report.memories,
        "unreadable": list(report.unreadable),
        "links": report.links,
        "bytes": report.bytes,
    }


def sync_output(report: "SyncReport") -> SyncOutput:
    """A synchronisation."""
    return {
        "to_database": report.to_database,
        "to_files": report.to_files,
        "merged": report.merged,
        "conflicts": [
            {
                "path": conflict.path,
                "reason": conflict.reason,
                "fields": [
                    {
                        "field": ".".join(clash.path),
                        "files": clash.ours.get(clash.path[-1]),
                        "database": clash.theirs.get(clash.path[-1]),
                    }
                    for clash in conflict.clashes
                ],
            }
            for conflict in report.conflicts
        ],
    }
