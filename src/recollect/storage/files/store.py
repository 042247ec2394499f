"""The file store: the write path, the lock, recovery after a crash."""

import hashlib
import os
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock

from recollect.clock import Clock, utc_now
from recollect.errors import (
    ConflictError,
    InvalidConfigError,
    InvalidError,
    InvalidJsonError,
    InvalidMemoryError,
    LockedError,
    MemoryNotFoundError,
    Problem,
    RecollectError,
    StoreError,
    UnreadableFileError,
)
from recollect.ids import SLUG, MemoryId
from recollect.paths import DRAFTS_FOLDER, read_plain
from recollect.records.categories import FOLDERS, Category
from recollect.records.json_format import line_of, parse, render
from recollect.records.record import Memory
from recollect.records.store import Broken, Progress, Scan, Stored
from recollect.storage import private
from recollect.storage.files import atomic, inventory, lock
from recollect.storage.files.root import MemoryRoot
from recollect.storage.private import make_folder as make_private_folder

_IGNORE = "# Derived and local; safe to delete, never committed.\n*\n"
_MOST_INVENTORY_BYTES = 64 * 1024 * 1024  # ten times that of 100,000 memories


@dataclass(slots=True)
class FileStore:
    """Memories in a root folder. Fills the `MemoryStore` port.

    A write takes the lock, creates a marker file, does its work and removes the marker. A process that has
    the lock and finds the marker knows that a writer died, and repairs the root.
    """

    root: MemoryRoot
    lock_wait: float = lock.WAIT_SECONDS
    clock: Clock = utc_now
    refusal: str = ""  # why nothing may be written: settings that were not accepted
    on_written: Callable[[Collection[str]], None] | None = (
        None  # gets paths, after the lock is released
    )
    _touched: dict[str, str | None] = field(default_factory=dict)
    _writing: bool = False
    _threads: RLock = field(default_factory=RLock)

    def load(self, id: MemoryId) -> Stored:
        path = self.root.find(id)
        if path is None:
            raise MemoryNotFoundError(id)
        return self.read(path)

    def read(self, path: Path) -> Stored:
        """The memory in a file of the root. Raises InvalidError when the file is not a valid memory."""
        return self._read(FOLDERS[path.parent.name], path)

    def scan(self, progress: Progress | None = None) -> Scan:
        files = [
            (category, folder, name) for category, folder, names in self.root.names() for name in names
        ]
        stored: list[Stored] = []
        broken: list[Broken] = []
        for done, (category, folder, name) in enumerate(files, start=1):
            try:
                stored.append(self._read(category, folder / name))
            except InvalidError as error:
                broken.append(_broken(self.root.show(folder / name), error))
            if progress:
                progress(done, len(files))
        return Scan(tuple(stored), tuple(broken))

    def has(self, id: MemoryId) -> bool:
        return SLUG.fullmatch(id) is not None and self.root.find(id) is not None

    def taken(self) -> set[str]:
        return {name.removesuffix(".json") for _, _, names in self.root.names() for name in names}

    def _read(self, category: Category, path: Path) -> Stored:
        shown = self.root.show(path)
        data = self.root.read(path)
        document = parse(data, shown)
        try:
            memory = Memory.parse(document, shown)
            _check_place(memory, category, path.stem, shown)
        except InvalidMemoryError as error:
            raise _WithLineError(error, data) from None
        return Stored(memory, shown, _digest(data))

    def create(self, memory: Memory) -> Stored:
        with self.writing():
            path = self.root.file(memory.category, memory.id)
            if (taken := self.root.find(memory.id)) is not None:
                current = self._version(taken) or "unreadable"
                raise ConflictError(memory.id, "(new)", current, self._store_rejected(memory))
            return self._put(path, memory)

    def replace(self, old: Stored, new: Memory) -> Stored:
        with self.writing():
            path = self.root.file(new.category, new.id)
            self._check_version(path, old, new)
            if new == old.memory:
                return old
            return self._put(path, new)

    def delete(self, old: Stored) -> None:
        with self.writing():
            path = self.root.file(old.memory.category, old.memory.id)
            self._check_version(path, old, None)
            try:
                path.unlink()
                atomic.sync_folder(path.parent)
            except OSError as error:
                raise StoreError(f"cannot delete {old.path!r}: {atomic.advice(error)}") from error
            self._touched[old.path] = None

    def _put(self, path: Path, memory: Memory) -> Stored:
        shown = self.root.show(path)
        data = render(memory.document)
        _make_folder(path.parent, self.root.show(path.parent), private=self.root.private)
        atomic.write(path, data, shown, private=self.root.private)
        listed = inventory.listed(memory, self.clock())
        self._touched[shown] = inventory.entry(memory, shown) if listed else None
        return Stored(memory, shown, _digest(data))

    def _check_version(self, path: Path, old: Stored, new: Memory | None) -> None:
        current = self._version(path)
        if current == old.digest:
            return
        rejected = self._store_rejected(new) if new else None
        raise ConflictError(old.memory.id, old.digest, current, rejected)

    def _version(self, path: Path) -> str | None:
        try:
            return _digest(self.root.read(path))
        except UnreadableFileError as error:
            raise StoreError(f"{error}; try again when it can be read.") from error
        except InvalidJsonError:
            return None

    def _store_rejected(self, memory: Memory) -> str:
        """Store a version that lost a race, so that its author can recover it; returns its path."""
        data = render(memory.document)
        folder = self.root.own(self.root.state / "rejected")
        path = folder / f"{memory.id}-{_digest(data)[:12]}.json"
        _make_folder(folder, self.root.show(folder), private=True)
        atomic.write(path, data, self.root.show(path), private=True)
        return self.root.show(path)

    @contextmanager
    def writing(self) -> Iterator[None]:
        if self.refusal:
            raise InvalidConfigError(self.refusal)
        with self._threads:
            if self._writing:
                yield
                return
            self._prepare_state()
            touched = self._touched = {}
            with lock.exclusive(self.root.state / "lock", wait=self.lock_wait):
                if self._dirty.exists():
                    self._mark(self._unsettled)
                    self._repair()
                self._mark(self._dirty)
                self._write_ignore()
                atomic.remove_abandoned(self._drafts)
                with self._marked():
                    yield
            if self.on_written and touched:
                self.on_written(touched)

    @contextmanager
    def _marked(self) -> Iterator[None]:
        """Run one writer. If the disk fails, the marker stays and the next writer repairs the root."""
        self._writing = True
        try:
            yield
        except RecollectError as error:
            if not isinstance(error, StoreError):
                with suppress(StoreError):
                    self._finish()
            raise
        else:
            self._finish()
        finally:
            self._writing = False

    @property
    def _drafts(self) -> Path:
        return self.root.state / DRAFTS_FOLDER

    @property
    def _dirty(self) -> Path:
        return self.root.state / "writing"

    @property
    def _unsettled(self) -> Path:
        """Exists when a dead writer's files were repaired but the effects of its memories are missing."""
        return self.root.state / "unsettled"

    def _mark(self, mark: Path) -> None:
        try:
            os.close(os.open(mark, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, private.FILE))
        except OSError as error:
            shown = self.root.show(mark)
            raise StoreError(f"cannot write {shown!r}: {atomic.advice(error)}") from error

    def _finish(self) -> None:
        try:
            if self._touched:
                self._write_inventory(self._touched)
        except StoreError as error:
            reason = getattr(error.__cause__, "strerror", None) or error
            shown = f"{self.root.shown}/{inventory.NAME}"
            raise StoreError(
                f"the memory is written, but {shown!r} is not: {reason}; fix that, and the next command "
                "writes it again."
            ) from error
        self._dirty.unlink(missing_ok=True)

    def _write_inventory(self, changes: dict[str, str | None]) -> None:
        now = self.inventory_now()
        text = None if now is None else inventory.updated(now, changes)
        self._put_inventory(text if text is not None else self.inventory())

    def _put_inventory(self, text: str) -> None:
        path = self.root.path / inventory.NAME
        atomic.write(path, text.encode(), self.root.show(path), private=self.root.private)

    def inventory(self, progress: Progress | None = None) -> str:
        """The current text of `index.md`, generated from the files."""
        return self.inventory_of(self.scan(progress))

    def inventory_of(self, scan: Scan) -> str:
        """The current text of `index.md`, generated from a scan."""
        memories = ((stored.memory, stored.path) for stored in scan.stored)
        return inventory.complete(memories, self.clock())

    def inventory_now(self) -> str | None:
        """The text of `index.md` on disk; None if it is missing or unreadable."""
        path = self.root.path / inventory.NAME
        try:
            return read_plain(str(path), _MOST_INVENTORY_BYTES).decode("utf-8")
        except (OSError, UnicodeDecodeError):
            return None

    def rebuild_inventory(self, progress: Progress | None = None) -> tuple[bool, Scan]:
        """Write `index.md` from the files; returns whether it changed, and the scan."""
        with self.writing():
            scan = self.scan(progress)
            text = self.inventory_of(scan)
            changed = text != self.inventory_now()
            if changed:
                self._put_inventory(text)
            return changed, scan

    def recover(self) -> bool:
        """Repair the root after a writer died; True if that was needed and no other process is writing.

        The caller then applies the effects of the dead writer's memories (an end of validity) and calls
        `settle`; until then this stays True. Never waits and never fails: `doctor` reports a root that
        cannot be written.
        """
        if not self._dirty.exists() and not self._unsettled.exists():
            return False
        try:
            self.root.own(self.root.state)
            with lock.exclusive(self.root.state / "lock", wait=0):
                if self._dirty.exists():
                    self._mark(self._unsettled)
                    self._repair()
                self._dirty.unlink(missing_ok=True)
                return self._unsettled.exists()
        except (LockedError, StoreError, OSError):
            return False

    def settle(self) -> None:
        """Record that the effects of a dead writer's memories are applied. Call it while writing."""
        self._unsettled.unlink(missing_ok=True)

    def _repair(self) -> None:
        for path in self.leftovers():
            path.unlink(missing_ok=True)
        self._put_inventory(self.inventory())

    def leftovers(self) -> list[Path]:
        """Temp files in the root. They are abandoned only if the caller has the lock.

        Hooks write drafts without it, so of those only old ones count.
        """
        folders = [self.root.path, *(self.root.path / folder for folder in FOLDERS)]
        folders += [self.root.state, self.root.state / "rejected"]
        files = [path for folder in folders for path in folder.glob(f".*{atomic.TEMP_SUFFIX}")]
        return sorted([*files, *atomic.abandoned(self._drafts)])

    def prepare_state(self) -> None:
        """Create the folder for local and derived files, which git ignores."""
        self._prepare_state()
        self._write_ignore()

    def _prepare_state(self) -> None:
        if not self.root.path.is_dir():
            raise StoreError(
                f"the memory root {self.root.shown!r} is gone; `recollect init` makes a new one."
            )
        _make_folder(self.root.own(self.root.state), self.root.show(self.root.state), private=True)

    def _write_ignore(self) -> None:
        ignore = self.root.state / ".gitignore"
        if not ignore.exists():
            atomic.write(ignore, _IGNORE.encode(), self.root.show(ignore), private=True)


class _WithLineError(InvalidMemoryError):
    """An invalid memory whose first problem's line is known."""

    def __init__(self, error: InvalidMemoryError, data: bytes) -> None:
        super().__init__(error.where, error.problems)
        self.line = line_of(data.decode("utf-8-sig"), error.problems[0].field)


def _broken(path: str, error: InvalidError) -> Broken:
    match error:
        case InvalidJsonError():
            return Broken(path, error.reason, error.line)
        case InvalidMemoryError():
            reason = "; ".join(str(problem) for problem in error.problems)
            return Broken(path, reason, getattr(error, "line", None))
        case _:
            return Broken(path, str(error))


def _check_place(memory: Memory, category: Category, stem: str, shown: str) -> None:
    problems = []
    if memory.id != stem:
        problems.append(Problem("id", f"is {memory.id!r} but the file is {stem}.json; rename one"))
    if memory.category is not category:
        folder = memory.category.folder
        problems.append(Problem("category", f"is {memory.category!s}; move the file to {folder}/"))
    if problems:
        raise InvalidMemoryError(shown, problems)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _make_folder(folder: Path, shown: str, *, private: bool) -> None:
    try:
        if private:
            make_private_folder(folder)
        else:
            folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise StoreError(f"{shown!r} is a file where a folder should be; move it away.") from None
    except OSError as error:
        raise StoreError(f"cannot make the folder {shown!r}: {atomic.advice(error)}") from error
