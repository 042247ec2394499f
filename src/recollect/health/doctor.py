"""Run all checks on a root, and fix what is safe to fix."""

from typing import assert_never

from recollect.errors import InvalidError
from recollect.health import checks, environment, merging, sessions, skills
from recollect.health.finding import Fix, HealthFinding, Level
from recollect.health.subject import Check, Subject
from recollect.records.json_format import parse, render
from recollect.records.memories import Memories
from recollect.records.store import Progress
from recollect.storage import git_driver
from recollect.storage.files import atomic, setup
from recollect.storage.files.marks import remove_leftovers

CHECKS: tuple[Check, ...] = (
    environment.interpreter,
    environment.permissions,
    environment.settings,
    environment.connections,
    checks.unreadable,
    checks.duplicate_ids,
    checks.stored_secrets,
    checks.dangling_links,
    skills.broken_links,
    skills.crossing,
    skills.dangling_targets,
    checks.supersession_cycles,
    checks.still_valid,
    checks.unnamed_successors,
    checks.drifted_anchors,
    checks.stale_index,
    environment.leftovers,
    environment.damaged_state,
    environment.foreign_state,
    environment.failed_hooks,
    environment.encoding,
    environment.strays,
    skills.unread,
    environment.identity,
    merging.ignored_by_git,
    merging.merge_driver,
    merging.merge_attributes,
    checks.overdue,
    sessions.often_redacted,
    sessions.overlapping_rules,
)


def examine(subject: Subject, progress: Progress | None = None) -> list[HealthFinding]:
    """All problems, worst first."""
    findings: list[HealthFinding] = []
    for done, check in enumerate(CHECKS, start=1):
        findings += check(subject)
        if progress:
            progress(done, len(CHECKS))
    order = list(Level)
    return sorted(findings, key=lambda finding: order.index(finding.level))


def fix(subject: Subject, memories: Memories, findings: list[HealthFinding]) -> list[HealthFinding]:
    """Fix what is safe to fix; returns the findings that were fixed."""
    with subject.store.writing():
        rewritten = [
            finding
            for finding in findings
            if finding.fix is Fix.REWRITE and finding.path and _rewrite(subject, finding.path)
        ]
        wanted = [kind for kind in Fix if any(finding.fix is kind for finding in findings)]
        done = [kind for kind in wanted if _apply(kind, subject, memories)]
    return [finding for finding in findings if finding.fix in done or finding in rewritten]


def _apply(kind: Fix, subject: Subject, memories: Memories) -> bool:
    """Apply one fix to the whole root; False when it failed, or works file by file."""
    match kind:
        case Fix.REMOVE_LEFTOVERS:
            remove_leftovers(subject.store.root)
        case Fix.CLOSE_SUPERSEDED:
            memories.close_superseded()
        case Fix.INSTALL_DRIVER:
            assert subject.project is not None
            git_driver.install(subject.project.folder)
            return git_driver.is_installed(subject.project.folder)
        case Fix.WRITE_ATTRIBUTES:
            subject.store.root.write(".gitattributes", setup.ATTRIBUTES)
        case Fix.REBUILD_INDEX:
            subject.store.rebuild_inventory()
        case Fix.REWRITE:
            return False
        case _:
            assert_never(kind)
    return True


def _rewrite(subject: Subject, shown: str) -> bool:
    """Write a file again in the plain format. A file that is not JSON is left to the user."""
    root = subject.store.root
    path = next(path for _, path in root.files() if root.show(path) == shown)
    try:
        document = parse(root.read(path), shown)
    except InvalidError:
        return False
    with root.opened(path.parent) as folder:
        atomic.write_below(folder, path.name, render(document), shown, private=root.private)
    return True
