"""The verb module: look at a root, and mend what is safe to mend."""

from recollect.errors import InvalidError
from recollect.health import checks, surroundings
from recollect.health.finding import Finding, Level, Mend
from recollect.health.patient import Check, Patient
from recollect.records.json_format import parse, render
from recollect.records.memories import Memories
from recollect.records.store import Progress
from recollect.storage.files import atomic, setup

CHECKS: tuple[Check, ...] = (
    surroundings.interpreter,
    surroundings.permissions,
    checks.unreadable,
    checks.duplicate_ids,
    checks.stored_secrets,
    checks.dangling_links,
    checks.still_valid,
    checks.drifted_anchors,
    checks.stale_index,
    surroundings.leftovers,
    surroundings.encoding,
    surroundings.strays,
    surroundings.identity,
    surroundings.under_git,
    checks.overdue,
)


def examine(patient: Patient, progress: Progress | None = None) -> list[Finding]:
    """Everything that is wrong, worst first."""
    found: list[Finding] = []
    for done, check in enumerate(CHECKS, start=1):
        found += check(patient)
        if progress:
            progress(done, len(CHECKS))
    order = list(Level)
    return sorted(found, key=lambda finding: order.index(finding.level))


def mend(patient: Patient, memories: Memories, findings: list[Finding]) -> list[Finding]:
    """Do what is safe; returns the findings that were dealt with."""
    wanted = {finding.mend for finding in findings if finding.mend}
    with patient.store.writing():
        for finding in findings:
            if finding.mend is Mend.REWRITE and finding.path:
                _rewrite(patient, finding.path)
        if Mend.REMOVE_LEFTOVERS in wanted:
            for path in patient.store.leftovers():
                path.unlink(missing_ok=True)
        if Mend.CLOSE_SUPERSEDED in wanted:
            memories.close_superseded()
        if Mend.INSTALL_DRIVER in wanted and patient.project:
            setup.install_driver(patient.project.folder)
        if Mend.REBUILD_INDEX in wanted:
            patient.store.rebuild_inventory()
    return [finding for finding in findings if finding.mend]


def _rewrite(patient: Patient, shown: str) -> None:
    """Write a file's own document plainly. A file that is not JSON is left for a person."""
    root = patient.store.root
    path = next(path for _, path in root.files() if root.show(path) == shown)
    try:
        document = parse(root.read(path), shown)
    except InvalidError:
        return
    atomic.write(path, render(document), shown)
