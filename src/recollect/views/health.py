"""The state of a memory root: findings, the search index, a backup, a collection."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

from recollect.records.display import one_line
from recollect.records.memories import Collection

if TYPE_CHECKING:
    from recollect.health.finding import HealthFinding


class FindingRow(TypedDict):
    """One finding of `doctor`."""

    check: str
    level: str
    message: str
    advice: str
    path: str | None
    line: int | None
    fixable: bool
    fixed: bool


class ToolFindingRow(TypedDict):
    """One finding of `memory_health`."""

    level: str
    check: str
    message: str
    advice: str
    path: NotRequired[str]


def finding_row(finding: "HealthFinding", *, fixed: bool) -> FindingRow:
    """A finding for `--json`."""
    return {
        "check": finding.check,
        "level": finding.level.value,
        "message": finding.message,
        "advice": finding.advice,
        "path": finding.path,
        "line": finding.line,
        "fixable": finding.fix is not None,
        "fixed": fixed,
    }


def tool_finding_row(finding: "HealthFinding") -> ToolFindingRow:
    """A finding for a tool's answer."""
    row: ToolFindingRow = {
        "level": finding.level.value,
        "check": finding.check,
        "message": one_line(finding.message),
        "advice": one_line(finding.advice),
    }
    if finding.path:
        row["path"] = finding.path
    return row


class DoctorOutput(TypedDict):
    """`recollect doctor`: `healthy` is false while an error remains."""

    healthy: bool
    memories: int
    project: str
    findings: list[FindingRow]


class ToolHealthOutput(TypedDict):
    """`memory_health`: what `recollect doctor` finds, and the models in use."""

    healthy: bool
    memories: int
    project: str
    model: NotRequired[str]
    reranker: NotRequired[str]
    findings: Sequence[Mapping[str, Any]]
    cursor: NotRequired[str]


class IndexOutput(TypedDict):
    """`recollect index`."""

    path: str
    memories: int
    broken: int
    changed: bool
    embedded: int


class BackupOutput(TypedDict):
    """`recollect backup`."""

    path: str
    files: int


class ExpiredRow(TypedDict):
    """A memory that `gc` retires or deletes, and why."""

    id: str
    title: str
    reason: str


class GcOutput(TypedDict):
    """`recollect gc`: what it did, or would do when `applied` is false."""

    applied: bool
    retired: list[ExpiredRow]
    deleted: list[ExpiredRow]


def gc_output(plan: Collection, *, applied: bool) -> GcOutput:
    """What a collection retires and deletes."""
    retired, deleted = (
        [
            ExpiredRow(id=expiry.memory.id, title=expiry.memory.title, reason=expiry.reason)
            for expiry in expiries
        ]
        for expiries in (plan.retire, plan.delete)
    )
    return {"applied": applied, "retired": retired, "deleted": deleted}
