"""Reading the skill folders: bounded, and safe with whatever lies there.

Links are followed where they stay inside `within`; a folder is read once, however many links lead to it, so
circles end. Nothing is opened that is not a plain file.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from recollect.config import Config
from recollect.graph.skill_page import SkillSource
from recollect.graph.skills import Note

MOST_PAGES = 5_000
MOST_ENTRIES = 50_000  # of all kinds
MOST_BYTES = 512 * 1024  # of one page
MOST_IN_ALL = 16 * 1024 * 1024
MOST_DEPTH = 16
_ENDINGS = (".md", ".markdown")
_OUTSIDE = "is not read: it leads to a place outside the project"
_SKIPPED = frozenset({"node_modules", "__pycache__", "venv", "target", "dist"})


@dataclass(frozen=True, slots=True)
class SkillFolder:
    """One folder. `shown` is its name for people; links may lead anywhere inside `within`, if given."""

    path: Path
    shown: str
    within: Path | None = None


@dataclass(slots=True)
class Gathered:
    """What was found: pages, other files by (folder, path), and notes. `whole`: nothing was left out."""

    pages: list[SkillSource] = field(default_factory=list)
    files: set[tuple[str, str]] = field(default_factory=set)
    notes: list[Note] = field(default_factory=list)
    whole: bool = True
    _entries: int = 0
    _bytes: int = 0
    _seen: set[tuple[int, int]] = field(default_factory=set)

    def room(self, shown: str) -> bool:
        """Whether one more entry may be looked at; the first that may not is told of."""
        self._entries += 1
        few = self._entries <= MOST_ENTRIES and len(self.pages) < MOST_PAGES
        if few and self._bytes < MOST_IN_ALL:
            return True
        if self.whole:
            most = f"{MOST_PAGES:,} pages, {MOST_ENTRIES:,} files or {MOST_IN_ALL >> 20} MB"
            self.notes.append(Note(shown, f"and what comes after it is not read: more than {most}"))
        self.whole = False
        return False

    def keep(self, page: SkillSource, size: int) -> None:
        self.pages.append(page)
        self._bytes += size

    def first_time(self, told: os.stat_result) -> bool:
        """Whether a folder has not been read by another way."""
        known = (told.st_dev, told.st_ino)
        if known in self._seen:
            return False
        self._seen.add(known)
        return True


def folders_of(config: Config, project: Path, home: Path, project_file: Path) -> list[SkillFolder]:
    """The folders that `graph.skill_folders` names; those of the user begin with `~/`.

    What the project itself says can only name folders in the project: it may be a stranger's.
    """
    from_project = config.origin("graph.skill_folders") == str(project_file)
    found = []
    for name in config.graph.skill_folders.split(","):
        shown = name.strip().rstrip("/")
        outside = shown.startswith("~/") or Path(shown).is_absolute()
        if outside and not from_project:
            path = home / shown[2:] if shown.startswith("~/") else Path(shown)
            found.append(SkillFolder(path, shown))
        elif shown and not outside:
            found.append(SkillFolder(project / shown, shown, project))
    return found


def gather(folders: Sequence[SkillFolder]) -> Gathered:
    """Read every page in these folders, in order. A folder that is not there has none."""
    found = Gathered()
    for folder in folders:
        for path, shown in _walk(folder, folder.path, "", found):
            _take(folder, path, shown, found)
    return found


def _walk(folder: SkillFolder, here: Path, below: str, found: Gathered) -> Iterator[tuple[Path, str]]:
    """The files below `here` by name, each with its path inside the skill folder."""
    shown = f"{folder.shown}/{below}".rstrip("/")
    try:
        if not found.first_time(here.stat()):
            return
        if not _allowed(folder, here):
            found.notes.append(Note(shown, _OUTSIDE))
            return
        with os.scandir(here) as listed:
            entries = sorted(listed, key=lambda entry: entry.name)
    except FileNotFoundError:
        return
    except OSError as error:
        found.notes.append(Note(shown, f"cannot be read: {error.strerror}"))
        return
    for entry in entries:
        inside = f"{below}/{entry.name}".lstrip("/")
        if entry.name.startswith(".") or entry.name in _SKIPPED:
            continue
        if not found.room(f"{folder.shown}/{inside}"):
            return
        path = Path(entry.path)
        if not path.is_dir():
            yield path, inside
        elif inside.count("/") < MOST_DEPTH:
            yield from _walk(folder, path, inside, found)


def _allowed(folder: SkillFolder, path: Path) -> bool:
    """Whether a path stays where its folder may lead; what is above it was looked at on the way."""
    if folder.within is None or (path != folder.path and not path.is_symlink()):
        return True
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder.within))


def _take(folder: SkillFolder, path: Path, inside: str, found: Gathered) -> None:
    shown = f"{folder.shown}/{inside}"
    if not inside.lower().endswith(_ENDINGS):
        found.files.add((folder.shown, inside))
        return
    try:
        if not _allowed(folder, path):
            found.notes.append(Note(shown, _OUTSIDE))
            return
        data = _read(path)
    except OSError as error:
        found.notes.append(Note(shown, f"cannot be read: {error.strerror or error}"))
        return
    if data is None or len(data) > MOST_BYTES:
        reason = "it is no file" if data is None else f"it is larger than {MOST_BYTES // 1024} KB"
        found.notes.append(Note(shown, f"is not read: {reason}"))
    elif b"\0" in data:
        found.notes.append(Note(shown, "is not read: it is no text"))
    else:
        text = data.decode("utf-8", "replace")
        if "\ufffd" in text and "\ufffd".encode() not in data:
            found.notes.append(Note(shown, "is not UTF-8; what is not is left out"))
        found.keep(SkillSource(folder.shown, inside, text), len(data))


def _read(path: Path) -> bytes | None:
    """The bytes of a plain file, one more than are wanted at most; None for anything else.

    Opened so that a pipe without a writer does not hold us up.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return None
        return file.read(MOST_BYTES + 1)
