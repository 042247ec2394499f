"""The verb module: look at a root, and mend what is safe to mend."""

from typing import assert_never

from recollect.errors import InvalidError
from recollect.health import checks, environment, skills
from recollect.health.finding import HealthFinding, Level, Mend
from recollect.health.subject import Check, Subject
from recollect.records.json_format import parse, render
from recollect.records.memories import Memories
from recollect.records.store import Progress
from recollect.storage.files import atomic, setup

CHECKS: tuple[Check, ...] = (
    environment.interpreter,
    environment.permissions,
    checks.unreadable,
    checks.duplicate_ids,
    checks.stored_secrets,
    checks.dangling_links,
    skills.broken_links,
    skills.crossing,
    skills.dangling_targets,
    checks.still_valid,
    checks.drifted_anchors,
    checks.stale_index,
    environment.leftovers,
    environment.damaged_state,
    environment.failed_hooks,
    environment.encoding,
    environment.strays,
    skills.unread,
    environment.identity,
    environment.under_git,
    checks.overdue,
)


def examine(patient: Subject, progress: Progress | None = None) -> list[HealthFinding]:
    """Everything that is wrong, worst first."""
    found: list[HealthFinding] = []
    for done, check in enumerate(CHECKS, start=1):
        found += check(patient)
        if progress:
            progress(done, len(CHECKS))
    order = list(Level)
    return sorted(found, key=lambda finding: order.index(finding.level))


def mend(patient: Subject, memories: Memories, findings: list[HealthFinding]) -> list[HealthFinding]:
    """Do what is safe; returns the findings that were dealt with."""
    with patient.store.writing():
        rewritten = [
            finding
            for finding in findings
            if finding.mend is Mend.REWRITE and finding.path and _rewrite(patient, finding.path)
        ]
        wanted = [kind for kind in Mend if any(finding.mend is kind for finding in findings)]
        done = [kind for kind in wanted if _apply(kind, patient, memories)]
    return [finding for finding in findings if finding.mend in done or finding in rewritten]


def _apply(kind: Mend, patient: Subject, memories: Memories) -> bool:
    """Do one thing for the whole root; False when it could not be done, or goes file by file."""
    match kind:
        case Mend.REMOVE_LEFTOVERS:
            for path in patient.store.leftovers():
                path.unlink(missing_ok=True)
        case Mend.CLOSE_SUPERSEDED:
            memories.close_superseded()
        case Mend.INSTALL_DRIVER:
            assert patient.project is not None
            setup.install_driver(patient.project.folder)
            return setup.driver_installed(patient.project.folder)
        case Mend.WRITE_ATTRIBUTES:
            path = patient.store.root.path / ".gitattributes"
            atomic.write(path, setup.ATTRIBUTES.encode(), patient.store.root.show(path))
        case Mend.REBUILD_INDEX:
            patient.store.rebuild_inventory()
        case Mend.REWRITE:
            return False
        case _:
            assert_never(kind)
    return True


def _rewrite(patient: Subject, shown: str) -> bool:
    """Write a file's own document plainly. A file that is not JSON is left for a person."""
    root = patient.store.root
    path = next(path for _, path in root.files() if root.show(path) == shown)
    try:
        document = parse(root.read(path), shown)
    except InvalidError:
        return False
    atomic.write(path, render(document), shown)
    return True
