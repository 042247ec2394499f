"""Memories from and to files: an import's rows, and the files that an export writes."""

from typing import NotRequired, TypedDict

from recollect.importing.report import ImportRow
from recollect.records.redaction_port import SecretFinding


class ImportItemRow(TypedDict):
    """One item of the source; `action` is create, update or skip, `text` what a skipped part says."""

    origin: str
    action: str
    id: str | None
    title: str | None
    reason: str
    notes: list[str]
    text: NotRequired[str]


def import_item_row(row: ImportRow) -> ImportItemRow:
    """An item and what the import does with it."""
    out: ImportItemRow = {
        "origin": row.origin,
        "action": row.action.value,
        "id": row.id,
        "title": row.title or None,
        "reason": row.reason,
        "notes": [*row.notes, *(removed_secret(finding) for finding in row.redacted)],
    }
    if row.text:
        out["text"] = row.text
    return out


def removed_secret(finding: SecretFinding) -> str:
    """The note about a secret in an imported file."""
    return f"a secret is removed from {finding.field} ({finding.kind})"


class ImportOutput(TypedDict):
    """`recollect import`: what it imported, or would import when `applied` is false.

    For transcripts also how many drafts wait for a person, and how many had no room.
    """

    applied: bool
    kind: str
    created: int
    updated: int
    skipped: int
    embedded: int
    rows: list[ImportItemRow]
    drafts: NotRequired[int]
    held_back: NotRequired[int]


class ExportOutput(TypedDict):
    """`recollect export --to FILE`."""

    path: str
    memories: int
