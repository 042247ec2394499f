"""The checks on git: whether it stores the memories, and how it merges them."""

from collections.abc import Iterator
from pathlib import Path

from recollect.health.finding import Fix, HealthFinding, Level
from recollect.health.subject import Subject
from recollect.storage import git, git_driver
from recollect.storage.files import setup

_DRIVER = "merge-driver"
_SET_UP = "`recollect init` or `recollect doctor --fix` tells git how."


def ignored_by_git(subject: Subject) -> Iterator[HealthFinding]:
    """A rule that keeps the memories out of every commit."""
    if (folder := _checkout(subject)) is None:
        return
    if rule := git.ask(folder, "check-ignore", "--verbose", _example(subject)):
        yield HealthFinding(
            "ignored-by-git",
            Level.WARNING,
            "git ignores the memory root, so the memories are not committed",
            f"Remove the rule that ignores it, at {rule.partition(chr(9))[0]}",
            subject.store.root.shown,
        )


def merge_driver(subject: Subject) -> Iterator[HealthFinding]:
    """A merge driver that is not configured, not ours, or does not run."""
    if (folder := _checkout(subject)) is None:
        return
    line = git_driver.configured(folder)
    if line is None:
        missing = "this checkout does not merge memories field by field"
        yield HealthFinding(_DRIVER, Level.NOTE, missing, _SET_UP, fix=Fix.INSTALL_DRIVER)
    elif line != git_driver.command():
        program = git_driver.missing_program(line)
        gone = f"git's merge driver for memories cannot run: {program!r} does not exist"
        other = "git's merge driver for memories belongs to another installation"
        yield HealthFinding(
            _DRIVER, Level.WARNING, gone if program else other, _SET_UP, fix=Fix.INSTALL_DRIVER
        )
    elif not git_driver.works(folder):
        yield HealthFinding(
            _DRIVER,
            Level.WARNING,
            "git's merge driver for memories cannot run, so git merges them line by line",
            "Install Recollect again, then run `recollect init`.",
        )


def merge_attributes(subject: Subject) -> Iterator[HealthFinding]:
    """Attributes that do not name the merge driver."""
    if (folder := _checkout(subject)) is None:
        return
    used = git.ask(folder, "check-attr", "merge", "--", _example(subject))
    if used is not None and not used.endswith(": recollect"):
        attributes = subject.store.root.path / ".gitattributes"
        line = setup.ATTRIBUTES.splitlines()[1]
        yield HealthFinding(
            "merge-attributes",
            Level.NOTE,
            "does not name the merge driver, so git merges memories line by line",
            f"Add this line to it: {line}" if attributes.exists() else "`recollect init` writes it.",
            subject.store.root.show(attributes),
            fix=None if attributes.exists() else Fix.WRITE_ATTRIBUTES,
        )


def _checkout(subject: Subject) -> Path | None:
    """The folder of a project that is in a git checkout."""
    folder = subject.project.folder if subject.project else None
    return folder if folder and git.top_level(folder) else None


def _example(subject: Subject) -> str:
    """A path that a memory could have."""
    return str(subject.store.root.path / "decisions" / "probe.json")
