"""Read the skill folders: bounded, and safe with hostile content.

Symbolic links are followed where they stay inside `within`; a folder is read once, however many links lead to
it, so cycles end. Only plain files are opened.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from recollect.agents.harness import SKILL_MARK
from recollect.config import Config
from recollect.graph.skill_page import SkillSource
from recollect.graph.skills import Note
from recollect.paths import LEADS_OUTSIDE, read_inside, read_plain

MOST_PAGES = 5_000
MOST_ENTRIES = 50_000  # of all kinds
MOST_BYTES = 512 * 1024  # of one page
MOST_IN_ALL = 16 * 1024 * 1024
MOST_DEPTH = 16
_ENDINGS = (".md", ".markdown")
_OUTSIDE = "not read: it leads out of the project"
_NOT_READ = {
    "too large": f"not read: larger than {MOST_BYTES // 1024} KB",
    "not a plain file": "not read: not a plain file",
    LEADS_OUTSIDE: _OUTSIDE,
}
_SKIPPED = frozenset({"node_modules", "__pycache__", "venv", "target", "dist"})


@dataclass(frozen=True, slots=True)
class SkillFolder:
    """One folder. `shown` is its name for people; links may lead anywhere inside `within`, a real path."""

    path: Path
    shown: str
    within: Path | None = None


@dataclass(slots=True)
class SkillFiles:
    """The pages, the other files as (folder, path), and notes. `whole`: no limit was reached."""

    pages: list[SkillSource] = field(default_factory=list)
    files: set[tuple[str, str]] = field(default_factory=set)
    notes: list[Note] = field(default_factory=list)
    whole: bool = True
    _entries: int = 0
    _bytes: int = 0
    _seen: set[tuple[int, int]] = field(default_factory=set)

    def room(self, shown: str) -> bool:
        """Whether one more entry is within the limits; the first that is not gets a note."""
        self._entries += 1
        within = self._entries <= MOST_ENTRIES and len(self.pages) < MOST_PAGES
        if within and self._bytes < MOST_IN_ALL:
            return True
        if self.whole:
            most = f"{MOST_PAGES:,} pages, {MOST_ENTRIES:,} files or {MOST_IN_ALL >> 20} MB"
            self.notes.append(Note(shown, f"not read, like all files after it: more than {most}"))
        self.whole = False
        return False

    def add(self, page: SkillSource, size: int) -> None:
        self.pages.append(page)
        self._bytes += size

    def first_time(self, status: os.stat_result) -> bool:
        """Whether a folder has not been read through another path."""
        identity = (status.st_dev, status.st_ino)
        if identity in self._seen:
            return False
        self._seen.add(identity)
        return True


def folders_of(config: Config, project: Path, home: Path, project_file: Path) -> list[SkillFolder]:
    """The folders that `graph.skill_folders` names; those of the user begin with `~/`.

    A project's own configuration can only name folders in the project, because it may not be trusted.
    """
    from_project = config.origin("graph.skill_folders") == str(project_file)
    folders = []
    for name in config.graph.skill_folders.split(","):
        shown = name.strip().rstrip("/")
        outside = shown.startswith("~/") or Path(shown).is_absolute()
        if outside and not from_project:
            path = home / shown[2:] if shown.startswith("~/") else Path(shown)
            folders.append(SkillFolder(path, shown))
        elif shown and not outside:
            folders.append(SkillFolder(project / shown, shown, project))
    return folders


def gather(folders: Sequence[SkillFolder]) -> SkillFiles:
    """Read every page in these folders, in order. A missing folder has none."""
    files = SkillFiles()
    for folder in folders:
        for path, shown in _walk(folder, folder.path, "", files):
            _take(folder, path, shown, files)
    return files


def _walk(folder: SkillFolder, here: Path, below: str, files: SkillFiles) -> Iterator[tuple[Path, str]]:
    """The files below `here` by name, each with its path inside the skill folder."""
    shown = f"{folder.shown}/{below}".rstrip("/")
    try:
        if not files.first_time(here.stat()):
            return
        if not _allowed(folder, here):
            files.notes.append(Note(shown, _OUTSIDE))
            return
        with os.scandir(here) as listed:
            entries = sorted(listed, key=lambda entry: entry.name)
    except FileNotFoundError:
        return
    except OSError as error:
        files.notes.append(Note(shown, f"cannot be read: {error.strerror}"))
        return
    for entry in entries:
        inside = f"{below}/{entry.name}".lstrip("/")
        if entry.name.startswith(".") or entry.name in _SKIPPED:
            continue
        if not files.room(f"{folder.shown}/{inside}"):
            return
        path = Path(entry.path)
        if not path.is_dir():
            yield path, inside
        elif inside.count("/") < MOST_DEPTH:
            yield from _walk(folder, path, inside, files)


def _allowed(folder: SkillFolder, path: Path) -> bool:
    """Whether a path stays inside `within`; its parents were checked before."""
    if folder.within is None or (path != folder.path and not path.is_symlink()):
        return True
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder.within))


def _take(folder: SkillFolder, path: Path, inside: str, files: SkillFiles) -> None:
    shown = f"{folder.shown}/{inside}"
    if not inside.lower().endswith(_ENDINGS):
        files.files.add((folder.shown, inside))
        return
    try:
        data = _read(folder, path)
    except OSError as error:
        reason = error.strerror or str(error)
        files.notes.append(Note(shown, _NOT_READ.get(reason, f"cannot be read: {reason}")))
        return
    if SKILL_MARK.encode() in data:
        pass  # every project has our own skills; no search is about them
    elif b"\0" in data:
        files.notes.append(Note(shown, "not read: not a text"))
    else:
        text = data.decode("utf-8", "replace")
        if "\ufffd" in text and "\ufffd".encode() not in data:
            files.notes.append(Note(shown, "not UTF-8; invalid bytes are left out"))
        files.add(SkillSource(folder.shown, inside, text), len(data))


def _read(folder: SkillFolder, path: Path) -> bytes:
    """The bytes of a plain file. Raises OSError for anything else, and where a link was swapped in."""
    if folder.within is None:
        return read_plain(str(path), MOST_BYTES)
    return read_inside(str(path), str(folder.within), MOST_BYTES)
