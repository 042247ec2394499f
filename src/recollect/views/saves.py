"""A write: what was saved, or which memory says it already."""

from typing import NotRequired, TypedDict

from recollect.records.memories import Repeats, Saved


class RedactedRow(TypedDict):
    """A secret that was removed: its kind, and the field that contained it."""

    kind: str
    field: str


class SaveOutput(TypedDict):
    """`save`, `edit`, `retire`, `restore`, `archive`, `unlink`, `session keep`.

    `action` is created, updated, unchanged or duplicate. A duplicate was not written; the output names the
    memory that says the same already.
    """

    id: str
    path: str
    action: str
    version: str
    redacted: NotRequired[list[RedactedRow]]
    superseded: NotRequired[list[str]]
    retired: NotRequired[list[str]]
    similarity: NotRequired[float]
    exact: NotRequired[bool]
    advice: NotRequired[str]


class ToolSaveOutput(TypedDict):
    """The writing tools: a SaveOutput. The schema leaves out what is rare; every agent pays for its words."""

    action: str
    id: str
    path: str
    version: str
    superseded: NotRequired[list[str]]
    advice: NotRequired[str]


def save_output(saved: Saved) -> SaveOutput:
    """A write that happened, and its side effects."""
    out: SaveOutput = {
        "id": saved.stored.memory.id,
        "path": saved.stored.path,
        "action": saved.action,
        "version": saved.stored.digest,
    }
    if saved.redacted:
        out["redacted"] = [{"kind": finding.kind, "field": finding.field} for finding in saved.redacted]
    if saved.superseded:
        out["superseded"] = list(saved.superseded)
    if saved.retired:
        out["retired"] = list(saved.retired)
    return out


def duplicate_output(repeats: Repeats, advice: str) -> SaveOutput:
    """A write that did not happen, because a memory says the same already."""
    return {
        "id": repeats.existing.memory.id,
        "path": repeats.existing.path,
        "action": "duplicate",
        "version": repeats.existing.digest,
        "similarity": repeats.similarity,
        "exact": repeats.exact,
        "advice": advice,
    }
