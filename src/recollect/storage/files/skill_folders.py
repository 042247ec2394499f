"""Read the skill folders: bounded, and safe with hostile content.

Symbolic links are followed where they stay inside `within`; a folder is read once, however many links lead to
it, so cycles end. Only plain files are opened.
"""

import hashlib
import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from recollect.agents.harness import SKILL_MARK
from recollect.config import Config
from recollect.graph.skill_page import SkillPage, SkillSource, read
from recollect.graph.skills import Note
from recollect.paths import LEADS_OUTSIDE, read_inside, read_plain
from recollect.retrieval.index_writer import CLOCK_DOUBT

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


@dataclass(frozen=True, slots=True)
class PageState:
    """What tells that a file has changed; times are in nanoseconds."""

    modified: int
    changed: int
    size: int


@dataclass(frozen=True, slots=True)
class ReadPage:
    """What a file contained when it was read: a page or none, and a note.

    `seen` is when; a file that was written shortly before may have changed since with the same state.
    """

    folder: str
    path: str
    state: PageState
    seen: int
    digest: str
    page: SkillPage | None
    note: str = ""

    @property
    def is_settled(self) -> bool:
        return self.state.modified <= self.seen - CLOCK_DOUBT


@dataclass(slots=True)
class SkillFiles:
    """The pages, the other files as (folder, path), and notes. `whole`: no limit was reached.

    `known` are pages that were read before, by their path; `current` are those of `known` that still hold,
    and `fresh` those that were read now.
    """

    known: Mapping[str, ReadPage] = field(default_factory=dict)
    parse: Callable[[SkillSource], SkillPage] = read
    current: set[str] = field(default_factory=set)
    fresh: dict[str, ReadPage] = field(default_factory=dict)
    pages: list[SkillPage] = field(default_factory=list)
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

    def add(self, page: SkillPage, size: int) -> None:
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


def gather(
    folders: Sequence[SkillFolder],
    known: Mapping[str, ReadPage] | None = None,
    parse: Callable[[SkillSource], SkillPage] = read,
) -> SkillFiles:
    """The pages in these folders, in order; those of `known` are read only if they changed.

    A missing folder has none.
    """
    files = SkillFiles(known or {}, parse)
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
        content = _content(folder, path, inside, files)
    except OSError as error:
        reason = error.strerror or str(error)
        files.notes.append(Note(shown, _NOT_READ.get(reason, f"cannot be read: {reason}")))
        return
    if content.note:
        files.notes.append(Note(shown, content.note))
    if content.page is not None:
        files.add(content.page, content.state.size)


def _content(folder: SkillFolder, path: Path, inside: str, files: SkillFiles) -> ReadPage:
    """What a file contains. Raises OSError where it may not or cannot be read."""
    key, now, status = str(path), time.time_ns(), path.lstat()
    state = PageState(status.st_mtime_ns, status.st_ctime_ns, status.st_size)
    is_plain = stat.S_ISREG(status.st_mode)  # what a link leads to is looked up each time
    before = files.known.get(key) if is_plain else None
    if before and (before.folder, before.path, before.state) != (folder.shown, inside, state):
        before = None
    if before and before.is_settled:
        files.current.add(key)
        return before
    data = _read(folder, path)
    digest = hashlib.sha256(data).hexdigest()
    if before and before.digest == digest:
        content = replace(before, seen=now)
    else:
        page, note = _parsed(SkillSource(folder.shown, inside, ""), data, files.parse)
        content = ReadPage(
            folder.shown, inside, replace(state, size=len(data)), now, digest, page, note
        )
    if is_plain:
        files.fresh[key] = content
    return content


def _parsed(
    place: SkillSource, data: bytes, parse: Callable[[SkillSource], SkillPage]
) -> tuple[SkillPage | None, str]:
    if SKILL_MARK.encode() in data:
        return None, ""  # every project has our own skills; no search is about them
    if b"\0" in data:
        return None, "not read: not a text file"
    text = data.decode("utf-8", "replace")
    replaced = "\ufffd" in text and "\ufffd".encode() not in data
    note = "not UTF-8; invalid bytes are left out" if replaced else ""
    return parse(replace(place, text=text)), note


def _read(folder: SkillFolder, path: Path) -> bytes:
    """The bytes of a plain file. Raises OSError for anything else, and where a link was swapped in."""
    if folder.within is None:
        return read_plain(str(path), MOST_BYTES)
    return read_inside(str(path), str(folder.within), MOST_BYTES)
