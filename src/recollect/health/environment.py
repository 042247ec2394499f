"""The checks on the surroundings of the memories: interpreter, disk, files that do not belong."""

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from recollect.errors import InvalidError, OutsideRootError
from recollect.health.finding import Fix, HealthFinding, Level
from recollect.health.subject import Subject
from recollect.paths import CONFIG_NAME, PLACE_MARK, SETTING_MARK, STATE_NAME
from recollect.records.categories import FOLDERS
from recollect.storage import git
from recollect.storage.files import marks
from recollect.storage.files.root import MemoryRoot
from recollect.storage.sqlite.connections import FOREIGN, file_damage, missing_fts5

OLDEST_PYTHON = (3, 11)
_BOM = b"\xef\xbb\xbf"


def interpreter(_subject: Subject) -> Iterator[HealthFinding]:
    """The version of Python, and whether its SQLite has full-text search."""
    if sys.version_info < OLDEST_PYTHON:
        yield HealthFinding(
            "interpreter",
            Level.ERROR,
            f"Python {sys.version.split()[0]} is too old",
            f"Install Recollect with Python {OLDEST_PYTHON[0]}.{OLDEST_PYTHON[1]} or later.",
        )
    if (version := missing_fts5()) is not None:
        yield HealthFinding(
            "fts5",
            Level.ERROR,
            f"SQLite {version} was built without FTS5, which search needs",
            "Use a Python whose sqlite3 has FTS5: Debian's, python.org's and Homebrew's do.",
        )


def permissions(subject: Subject) -> Iterator[HealthFinding]:
    """Folders that cannot be written, and files or links in their place."""
    root = subject.store.root
    folders = (root.path / folder for folder in FOLDERS)
    for path in (root.path, root.state, *folders):
        if path.is_symlink() and not path.exists():
            problem, advice = "is a broken symlink", "Remove it."
        elif path != root.path and path.is_symlink() and not _inside(root.path, path):
            problem, advice = "is a symlink that leaves the memory root", "Put a real folder there."
        elif path.exists() and not path.is_dir():
            problem, advice = "is a file where a folder should be", "Move it elsewhere."
        elif path.is_dir() and not os.access(path, os.W_OK | os.X_OK):
            problem, advice = "cannot be written to", "Check who owns it: chown or chmod u+rwx."
        else:
            continue
        shown = root.shown if path == root.path else root.show(path)
        yield HealthFinding("permissions", Level.ERROR, problem, advice, shown)


def _inside(root: Path, path: Path) -> bool:
    try:
        return path.resolve().is_relative_to(root.resolve())
    except OSError:  # it was replaced while we looked
        return False


def settings(subject: Subject) -> Iterator[HealthFinding]:
    """Values that a setting does not accept, keys that are probably misspelt, and settings of the plugin."""
    for problem in subject.config_problems:
        yield HealthFinding(
            "settings",
            Level.ERROR,
            problem,
            "The default is used, and commands that write refuse. Set it with `recollect config KEY VALUE`, "
            "or correct the file or variable that the message names.",
        )
    for problem in subject.unknown_keys:
        yield HealthFinding(
            "settings", Level.WARNING, problem, "Nothing reads it; rename or delete it."
        )
    for note in subject.config_notes:
        yield HealthFinding("settings", Level.NOTE, note, "No action is needed.")


def encoding(subject: Subject) -> Iterator[HealthFinding]:
    """Files with a byte-order mark or Windows line endings: readable, but noisy in diffs."""
    broken = {broken.path for broken in subject.scan.broken}
    for shown, data in _contents(subject.store.root):
        oddities = [
            name
            for name, there in (
                ("a byte-order mark", data.startswith(_BOM)),
                ("Windows line endings", b"\r\n" in data),
            )
            if there
        ]
        if oddities and shown not in broken:
            yield HealthFinding(
                "encoding",
                Level.NOTE,
                f"has {' and '.join(oddities)}",
                "`recollect doctor --fix` rewrites it as plain UTF-8.",
                shown,
                fix=Fix.REWRITE,
            )


def _contents(root: MemoryRoot) -> Iterator[tuple[str, bytes]]:
    """The path, as it is shown, and the bytes of every memory's file that can be read."""
    for _, folder, names in root.names():
        with suppress(OSError, OutsideRootError), root.opened(folder) as handle:
            for name in names:
                with suppress(InvalidError):
                    yield root.show(folder / name), root.read(folder / name, handle)


def connections(subject: Subject) -> Iterator[HealthFinding]:
    """Harnesses that are told to run what cannot be started on this machine."""
    for harness, reason in subject.broken_connections:
        yield HealthFinding(
            "connections",
            Level.ERROR,
            f"the command that {harness} is configured to run cannot start: {reason}",
            "Add the folder of `recollect` to PATH, or run `recollect init` again; until then the "
            "harness works without memory.",
        )


def leftovers(subject: Subject) -> Iterator[HealthFinding]:
    """Temporary files of writers that died, and versions that lost a write conflict."""
    for path in marks.leftovers(subject.store.root):
        yield HealthFinding(
            "leftover",
            Level.WARNING,
            "is a temporary file of a process that died while writing",
            "`recollect doctor --fix` removes it.",
            subject.store.root.show(path),
            fix=Fix.REMOVE_LEFTOVERS,
        )
    for path in sorted((subject.store.root.state / "rejected").glob("*.json")):
        yield HealthFinding(
            "rejected-version",
            Level.NOTE,
            "is a version that lost a write conflict",
            "Copy what you need into the memory with `recollect edit`, then delete the file.",
            subject.store.root.show(path),
        )


def failed_hooks(subject: Subject) -> Iterator[HealthFinding]:
    """Failures of hooks, which report nothing to the user themselves."""
    if subject.hook_log is None:
        return
    try:
        lines = subject.hook_log.read_text("utf-8", "replace").splitlines()
    except OSError:
        return
    here = repr(os.path.realpath(subject.store.root.state))
    lines = [  # `settings` reports the rest
        line for line in lines if SETTING_MARK not in line and _is_of(line, here)
    ]
    if lines:
        yield HealthFinding(
            "hook-failures",
            Level.WARNING,
            f"a hook failed {len(lines)} time(s), the last: {lines[-1]}",
            "The prompts were not changed. Fix the cause that the file names, then delete the file.",
            str(subject.hook_log),
        )


def _is_of(line: str, state: str) -> bool:
    """Whether a failure was in the project of this state folder, or before the hook knew which."""
    _, mark, place = line.rpartition(PLACE_MARK)
    return not mark or place == state


def damaged_state(subject: Subject) -> Iterator[HealthFinding]:
    """A damaged session database, which cannot be rebuilt from the files."""
    path = subject.store.root.state / STATE_NAME
    if path.exists() and (damage := file_damage(str(path))) is not None:
        yield HealthFinding(
            "state",
            Level.ERROR,
            f"the session database is damaged ({damage})",
            "Move it elsewhere, or restore it from a `recollect backup`. Memories are not in it.",
            subject.store.root.show(path),
        )


def foreign_state(subject: Subject) -> Iterator[HealthFinding]:
    """A session database that was made elsewhere and moved aside."""
    path = subject.store.root.state / f"{STATE_NAME}{FOREIGN}"
    if path.exists():
        yield HealthFinding(
            "state",
            Level.WARNING,
            "a session database that was made elsewhere is not used",
            "If it is yours (from a backup or an earlier version), `recollect session adopt` takes it over; "
            "if it came with the repository, delete it.",
            subject.store.root.show(path),
        )


def strays(subject: Subject) -> Iterator[HealthFinding]:
    """Files in memory folders that are not memories, and memories outside of those folders."""
    root = subject.store.root
    for folder in (root.path / name for name in FOLDERS):
        try:
            with root.opened(folder) as handle:
                names = sorted(os.listdir(handle))
        except OSError:
            continue
        except OutsideRootError as error:
            yield HealthFinding(
                "outside-root",
                Level.ERROR,
                "leads out of the memory root",
                str(error),
                root.show(folder),
            )
            continue
        for name in names:
            if not name.endswith(".json") and not name.startswith("."):
                yield HealthFinding(
                    "stray-file",
                    Level.NOTE,
                    "is not a memory; only *.json files are read",
                    "Move it elsewhere, or `recollect import` it.",
                    root.show(folder / name),
                )
    for name in sorted(os.listdir(root.path)):
        if name.endswith(".json") and not name.startswith(".") and name != CONFIG_NAME:
            yield HealthFinding(
                "stray-file",
                Level.WARNING,
                "is not in the folder of a category, so nothing reads it",
                f"If it is a memory, move it into one of {', '.join(FOLDERS)}.",
                root.show(root.path / name),
            )


def identity(subject: Subject) -> Iterator[HealthFinding]:
    """A project name that would change when the folder moves."""
    if subject.identity is None or subject.project is None:
        return
    if subject.identity.shallow:
        message = "a shallow clone does not have the commit that names the project"
        advice = "Run `git fetch --unshallow`, or put a name into project-id in the memory root."
    elif subject.identity.source == "path":
        message = "the project is named by its path, so moving it would make it a different project"
        in_git = git.top_level(subject.project.folder) is not None
        own = "`recollect init` gives it a stable name."
        advice = "The first commit gives it a stable name." if in_git else own
    else:
        return
    yield HealthFinding("identity", Level.NOTE, message, advice)
