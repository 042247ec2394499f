"""SQLite connections that many processes share: opening, transactions, error kinds, copies and checks."""

from __future__ import annotations

import os
import sqlite3
import stat
import time

from recollect.paths import open_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

BUSY_SECONDS = 5.0
FOREIGN = ".foreign"  # what is added to the name of a session database that was made elsewhere
_CODE = "SELECT 1 FROM sqlite_master WHERE type NOT IN ('table', 'index')"
_RETRY_SECONDS = 0.005
_RESERVE = (
    16 * 1024 * 1024
)  # bytes of a disk that derived data leaves free, or a twentieth of a small one
# Errors of the file system or of another process. Any other error means that the file itself is bad.
_ENVIRONMENT_ERRORS = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_AUTH,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_INTERRUPT,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_NOLFS,
    }
)


def is_corrupt(error: sqlite3.DatabaseError) -> bool:
    """Whether an error is about the content of the file, not about locks or the file system."""
    if isinstance(error, sqlite3.ProgrammingError) or "no such module" in str(error):
        return False
    code = getattr(error, "sqlite_errorcode", None)
    return code is None or code & 0xFF not in _ENVIRONMENT_ERRORS


def is_busy(error: sqlite3.DatabaseError) -> bool:
    """Whether another process held the lock for longer than we wait."""
    code = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


class snapshot:  # noqa: N801 - used as `with snapshot(connection)`
    """A read transaction: later writes of others stay invisible. Inside another one it does nothing."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._nested = connection.in_transaction

    def __enter__(self) -> None:
        if not self._nested:
            self._connection.execute("BEGIN")

    def __exit__(self, *_raised: object) -> None:
        if not self._nested and self._connection.in_transaction:
            self._connection.execute("ROLLBACK")


class writing:  # noqa: N801 - used as `with writing(connection)`
    """A write transaction: all of it or nothing, one writer at a time."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, raised: object, *_details: object) -> None:
        try:
            if raised is None:
                self._connection.execute("COMMIT")
        finally:  # on a full disk SQLite rolls back by itself, and its own error must be the one raised
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")


def connect(
    path: str, prepare: Callable[[sqlite3.Connection], None], wait: float = BUSY_SECONDS
) -> sqlite3.Connection:
    """Open a database and `prepare` it, waiting up to `wait` seconds for other processes.

    A link at `path`, symbolic or hard, is moved aside, because its target is not ours to write to. Retries by
    itself: SQLite does not wait when several processes turn a new file into a database.
    """
    if path != ":memory:":
        try:
            _make_file(path)
        except OSError as error:
            raise _cannot_open(str(error)) from None
    until = time.monotonic() + wait
    while True:
        try:
            return _connect_once(path, prepare, wait)
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() > until:
                raise
            time.sleep(_RETRY_SECONDS)


def _make_file(path: str) -> None:
    """Create the file, private, in its open folder: SQLite opens by name and would follow a swapped link."""
    folder = open_folder(os.path.dirname(path))
    try:
        name = os.path.basename(path)
        try:
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            pass
        else:
            if stat.S_ISLNK(status.st_mode) or _has_other_names(status):
                os.replace(name, f"{name}.link", src_dir_fd=folder, dst_dir_fd=folder)
            elif not status.st_mode & 0o077:
                return
        from recollect.storage import private  # seldom needed: a hook loads little

        private.make_file(folder, name)
    finally:
        os.close(folder)


def _has_other_names(status: os.stat_result) -> bool:
    """Whether a plain file is hard-linked: it is then also a file of another folder."""
    return stat.S_ISREG(status.st_mode) and status.st_nlink > 1


def leave_reserve(connection: sqlite3.Connection, growth: int) -> None:
    """Raise the error of a full disk if a database that grows by `growth` bytes would take the last space.

    For derived data only: what a user saves may use the reserve.
    """
    path = connection.execute("PRAGMA database_list").fetchone()[2]
    if not path:
        return  # in memory
    disk = os.statvfs(os.path.dirname(path))
    reserve = min(_RESERVE, disk.f_blocks * disk.f_frsize // 20)
    if disk.f_bavail * disk.f_frsize < growth + reserve:
        error = sqlite3.OperationalError("the disk is nearly full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error


def _cannot_open(reason: str) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError(f"unable to open database file: {reason}")
    error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
    return error


def existing(path: str, mode: Literal["ro", "rw"] = "rw") -> str:
    """The URI of a database that SQLite may open, but not create.

    Raises sqlite3.OperationalError where a pipe, a link or the like takes the place of one of its files:
    SQLite would wait for the other end of a pipe, without end, and write to what a link leads to.
    """
    for suffix in ("", "-wal", "-shm"):
        try:
            status = os.lstat(f"{path}{suffix}")
        except OSError:
            continue
        if not stat.S_ISREG(status.st_mode):
            raise _cannot_open(f"{path}{suffix} is not a plain file")
        if mode == "rw" and _has_other_names(status):
            raise _cannot_open(f"{path}{suffix} is a link to a file in another folder")
    escaped = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return f"file:{escaped}?mode={mode}"


def _connect_once(
    path: str, prepare: Callable[[sqlite3.Connection], None], wait: float
) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path if path == ":memory:" else existing(path),
        timeout=wait,
        isolation_level=None,
        check_same_thread=False,
        uri=True,
    )
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def has_code(connection: sqlite3.Connection) -> bool:
    """Whether a database has views or triggers. Ours have none: somebody put them there."""
    return connection.execute(_CODE).fetchone() is not None


def was_made_here(connection: sqlite3.Connection, path: str) -> bool:
    """Whether a database was created at this path; a copy has another inode. Reads its table `meta`.

    A repository may contain a database. It cannot know the inode that its copy gets.
    """
    if has_code(connection):
        return False
    try:
        row = connection.execute("SELECT value FROM meta WHERE key = 'made'").fetchone()
    except sqlite3.OperationalError as error:
        if "no such" in str(error):  # table or column
            return False
        raise
    return row is not None and row[0] == identity(path)


def mark(connection: sqlite3.Connection, path: str) -> None:
    """Note in the table `meta` that this database was made at `path`."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('made', ?)", (identity(path),))


def is_empty(connection: sqlite3.Connection) -> bool:
    """Whether a database has no tables yet."""
    return connection.execute("SELECT 1 FROM sqlite_master").fetchone() is None


def identity(path: str) -> str:
    """What tells a file from a copy of it. Raises OSError where a link leads to it."""
    folder = open_folder(os.path.dirname(path))
    try:
        return str(os.stat(os.path.basename(path), dir_fd=folder, follow_symlinks=False).st_ino)
    finally:
        os.close(folder)


def move_aside(path: str, ending: str) -> str:
    """Rename a database that cannot be used, delete its WAL, and return its new path."""
    aside = f"{path}{ending}"
    rename(path, aside)
    return aside


def rename(path: str, new_path: str) -> None:
    """Rename a database in its folder, and delete its WAL."""
    folder, name = open_folder(os.path.dirname(path)), os.path.basename(path)
    try:
        os.replace(name, os.path.basename(new_path), src_dir_fd=folder, dst_dir_fd=folder)
        for suffix in ("-wal", "-shm"):
            try:
                os.unlink(f"{name}{suffix}", dir_fd=folder)
            except FileNotFoundError:
                continue
    finally:
        os.close(folder)


def checkpoint_wal(path: str) -> bool:
    """Checkpoint a database's WAL; False when another process uses it or it cannot be opened.

    Short-lived processes must call this. Each of them reads the WAL from its start and appends to its end,
    so SQLite's own checkpoint at 1,000 pages runs at every write and never truncates the file.
    """
    try:
        connection = sqlite3.connect(existing(path), timeout=0, isolation_level=None, uri=True)
        try:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            connection.close()
    except sqlite3.DatabaseError:
        return False
    return True


def copy_database(path: str, target: str) -> None:
    """Copy a database that others may be using. Raises StoreError when it cannot be read."""
    copy = sqlite3.connect(target)
    try:
        source = sqlite3.connect(existing(path), uri=True)
        try:
            source.backup(copy)
        finally:
            source.close()
    except sqlite3.DatabaseError as error:
        from recollect.errors import StoreError

        raise StoreError(f"cannot copy {path!r}: {error}.") from None
    finally:
        copy.close()


def file_damage(path: str) -> str | None:
    """What is wrong with a database file; None when nothing is, or when it cannot be read now."""
    try:
        connection = sqlite3.connect(existing(path, "ro"), uri=True)
        try:
            result = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
        finally:
            connection.close()
    except sqlite3.OperationalError:
        return None
    except sqlite3.DatabaseError as error:
        return str(error)
    return None if result == "ok" else result


def file_was_made_here(path: str) -> bool:
    """Whether a database file was created at this path. Only reads it; False when it cannot be read now."""
    try:
        connection = sqlite3.connect(existing(path, "ro"), uri=True)
        try:
            return was_made_here(connection, path)
        finally:
            connection.close()
    except sqlite3.DatabaseError:
        return False


def missing_fts5() -> str | None:
    """The version of an SQLite without full-text search; None when it has it."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("CREATE VIRTUAL TABLE probe USING fts5(text)")
    except sqlite3.OperationalError:
        return str(sqlite3.sqlite_version)
    finally:
        connection.close()
    return None
