"""The file store: the write path, the lock, recovery after a crash."""

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock

from recollect.clock import Clock, utc_now
from recollect.errors import (
    ConflictError,
    InvalidConfigError,
    InvalidError,
    InvalidJsonError,
    LockedError,
    MemoryNotFoundError,
    OutsideRootError,
    RecollectError,
    StoreError,
    UnreadableFileError,
)
from recollect.ids import SLUG, MemoryId
from recollect.paths import DRAFTS_FOLDER, read_below
from recollect.records import memory_file
from recollect.records.categories import FOLDERS, Category
from recollect.records.json_format import render
from recollect.records.memory_file import digest, read_memory
from recollect.records.record import Memory
from recollect.records.store import Broken, Progress, Scan, Stored
from recollect.storage.files import atomic, inventory, lock
from recollect.storage.files.marks import Mark, remove_leftovers
from recollect.storage.files.root import MemoryRoot

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
        listings = list(self.root.names())
        total = sum(len(names) for _, _, names in listings)
        stored: list[Stored] = []
        broken: list[Broken] = []
        done = 0
        for category, folder, names in listings:
            with ExitStack() as stack:
                handle = None  # a folder that is gone meanwhile is reported for each of its files
                with suppress(OSError, OutsideRootError):
                    handle = stack.enter_context(self.root.opened(folder))
                for name in names:
                    try:
                        stored.append(self._read(category, folder / name, handle))
                    except InvalidError as error:
                        broken.append(memory_file.broken(self.root.show(folder / name), error))
                    done += 1
                    if progress:
                        progress(done, total)
        return Scan(tuple(stored), tuple(broken))

    def has(self, id: MemoryId) -> bool:
        return SLUG.fullmatch(id) is not None and self.root.find(id) is not None

    def taken(self) -> set[str]:
        return {name.removesuffix(".json") for _, _, names in self.root.names() for name in names}

    def _read(self, category: Category, path: Path, folder: int | None = None) -> Stored:
        shown = self.root.show(path)
        return read_memory(self.root.read(path, folder), category, path.stem, shown)

    def create(self, memory: Memory) -> Stored:
        with self.writing():
            path = self.root.file(memory.category, memory.id)
            if (taken := self.root.find(memory.id)) is not None:
                current = self._version(taken) or "unreadable"
                raise ConflictError(memory.id, "(new)", current, self.store_rejected(memory))
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
                with self.root.opened(path.parent) as folder:
                    os.unlink(path.name, dir_fd=folder)
                    os.fsync(folder)
            except OSError as error:
                raise StoreError(f"cannot delete {old.path!r}: {atomic.advice(error)}") from error
            self._touched[old.path] = None

    def raw_files(self, *, lenient: bool = False) -> Iterator[tuple[str, bytes]]:
        """Every file of a memory as it is, by its path below the root: `decisions/x.json`.

        Raises InvalidError for one that cannot be read; a `lenient` reader does without it.
        """
        for _, folder, names in self.root.names():
            for name in names:
                try:
                    yield f"{folder.name}/{name}", self.root.read(folder / name)
                except InvalidError:
                    if not lenient:
                        raise

    def put_files(self, files: Mapping[str, bytes | None]) -> None:
        """Write or (None) delete files as they are, valid or not, by their paths below the root.

        They bring nothing about: after a kill, no memory that one of them supersedes is changed.
        """
        with self._writing_marked(self._copying):
            for name, data in files.items():
                path = self._place_of(name)
                shown = self.root.show(path)
                if data is None:
                    with suppress(FileNotFoundError), self.root.opened(path.parent) as folder:
                        os.unlink(path.name, dir_fd=folder)
                    self._touched[shown] = None
                    continue
                with self.root.opened(path.parent, make=True) as folder:
                    atomic.write_below(folder, path.name, data, shown, private=self.root.private)
                self._touched[shown] = self._entry(path)

    def _place_of(self, name: str) -> Path:
        folder, _, file = name.partition("/")
        if folder not in FOLDERS or not file.endswith(".json") or file.startswith(".") or "/" in file:
            raise OutsideRootError(
                f"{name!r} is not the path of a memory, such as 'decisions/a-slug.json'."
            )
        return self.root.path / folder / file

    def _entry(self, path: Path) -> str | None:
        """The line of a file in the inventory; None where it is not listed."""
        try:
            stored = self.read(path)
        except InvalidError:
            return None
        is_listed = inventory.listed(stored.memory, self.clock())
        return inventory.entry(stored.memory, stored.path) if is_listed else None

    def _put(self, path: Path, memory: Memory) -> Stored:
        shown = self.root.show(path)
        data = render(memory.document)
        with self.root.opened(path.parent, make=True) as folder:
            atomic.write_below(folder, path.name, data, shown, private=self.root.private)
        listed = inventory.listed(memory, self.clock())
        self._touched[shown] = inventory.entry(memory, shown) if listed else None
        return Stored(memory, shown, digest(data))

    def _check_version(self, path: Path, old: Stored, new: Memory | None) -> None:
        current = self._version(path)
        if current == old.digest:
            return
        rejected = self.store_rejected(new) if new else None
        raise ConflictError(old.memory.id, old.digest, current, rejected)

    def _version(self, path: Path) -> str | None:
        try:
            return digest(self.root.read(path))
        except UnreadableFileError as error:
            raise StoreError(f"{error}; try again when it can be read.") from error
        except InvalidJsonError:
            return None

    def store_rejected(self, memory: Memory) -> str:
        """Store a version that lost a race, so that its author can recover it; returns its path."""
        data = render(memory.document)
        path = self.root.state / "rejected" / f"{memory.id}-{digest(data)[:12]}.json"
        shown = self.root.show(path)
        with self.root.opened(path.parent, make=True) as folder:
            atomic.write_below(folder, path.name, data, shown, private=True)
        return shown

    @contextmanager
    def writing(self) -> Iterator[None]:
        with self._writing_marked(self._dirty):
            yield

    @contextmanager
    def _writing_marked(self, mark: Mark) -> Iterator[None]:
        if self.refusal:
            raise InvalidConfigError(self.refusal)
        with self._threads:
            if self._writing:
                yield
                return
            self._prepare_state()
            touched = self._touched = {}
            with lock.exclusive(self.root.state / "lock", wait=self.lock_wait):
                self._repair_after_death()
                mark.set()
                self._write_ignore()
                self._tidy_drafts()
                with self._finishing():
                    yield
            if self.on_written and touched:
                self.on_written(touched)

    @contextmanager
    def _finishing(self) -> Iterator[None]:
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
    def _dirty(self) -> Mark:
        return Mark(self.root, "writing")

    @property
    def _copying(self) -> Mark:
        """Set instead of `_dirty` while files are written as they are."""
        return Mark(self.root, "copying")

    @property
    def _unsettled(self) -> Mark:
        """Set when a dead writer's files were repaired but the effects of its memories are missing."""
        return Mark(self.root, "unsettled")

    def _tidy_drafts(self) -> None:
        drafts = self.root.state / DRAFTS_FOLDER
        with suppress(OSError, OutsideRootError), self.root.opened(drafts) as folder:
            atomic.remove_abandoned(folder)

    def _finish(self) -> None:
        try:
            if self._touched:
                self._write_inventory(self._touched)
        except StoreError as error:
            reason = getattr(error.__cause__, "strerror", None) or error
            shown = f"{self.root.shown}/{inventory.NAME}"
            raise StoreError(
                f"the memory is written, but {shown!r} is not: {reason}; fix that, and the next command "
                "rewrites it."
            ) from error
        self._remove_marks()

    def _remove_marks(self) -> None:
        self._dirty.remove()
        self._copying.remove()

    def _write_inventory(self, changes: dict[str, str | None]) -> None:
        now = self.inventory_now()
        text = None if now is None else inventory.updated(now, changes)
        self._put_inventory(text if text is not None else self.inventory())

    def _put_inventory(self, text: str) -> None:
        self.root.write(inventory.NAME, text)

    def inventory(self, progress: Progress | None = None) -> str:
        """The current text of `index.md`, generated from the files."""
        return self.inventory_of(self.scan(progress))

    def inventory_of(self, scan: Scan) -> str:
        """The current text of `index.md`, generated from a scan."""
        memories = ((stored.memory, stored.path) for stored in scan.stored)
        return inventory.complete(memories, self.clock())

    def inventory_now(self) -> str | None:
        """The text of `index.md` on disk; None if it is missing or unreadable."""
        try:
            with self.root.opened(self.root.path) as folder:
                return read_below(folder, inventory.NAME, _MOST_INVENTORY_BYTES).decode("utf-8")
        except (OSError, OutsideRootError, UnicodeDecodeError):
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
        if not any(mark.is_set() for mark in (self._dirty, self._copying, self._unsettled)):
            return False
        try:
            with lock.exclusive(self.root.state / "lock", wait=0):
                self._repair_after_death()
                self._remove_marks()
                return self._unsettled.is_set()
        except (LockedError, OutsideRootError, StoreError, OSError):
            return False

    def settle(self) -> None:
        """Record that the effects of a dead writer's memories are applied. Call it while writing."""
        self._unsettled.remove()

    def _repair_after_death(self) -> None:
        """Tidy up after a writer that died. Call it with the lock."""
        if self._dirty.is_set():
            self._unsettled.set()
        elif not self._copying.is_set():
            return
        remove_leftovers(self.root)
        self._put_inventory(self.inventory())

    def prepare_state(self) -> None:
        """Create the folder for local and derived files, which git ignores."""
        self._prepare_state()
        self._write_ignore()

    def _prepare_state(self) -> None:
        if not self.root.path.is_dir():
            raise StoreError(
                f"the memory root {self.root.shown!r} no longer exists; `recollect init` creates a new "
                "one."
            )
        with self.root.opened(self.root.state, make=True):
            pass

    def _write_ignore(self) -> None:
        ignore = self.root.state / ".gitignore"
        if not ignore.exists():
            with self.root.opened(self.root.state) as folder:
                shown = self.root.show(ignore)
                atomic.write_below(folder, ignore.name, _IGNORE.encode(), shown, private=True)
