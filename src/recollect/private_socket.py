"""Unix sockets that only their user can open, at paths of any length."""

import contextlib
import os
import socket
import stat
import struct
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from recollect.paths import open_folder

_MAX_PATH = 103  # bytes that AF_UNIX takes on every system, without the final zero
_SHORT_FOLDER = "/tmp"  # noqa: S108 - the folder in it is private; TMPDIR may itself be long


@dataclass(frozen=True, slots=True)
class Listener:
    """A socket that listens, and the file through which it is reached."""

    path: Path
    socket: socket.socket
    inode: tuple[int, int]

    def unlink(self) -> None:
        """Remove the file, unless a newer process has put its own there."""
        with contextlib.suppress(OSError), _opened(self.path.parent) as folder:
            status = os.stat(self.path.name, dir_fd=folder, follow_symlinks=False)
            if stat.S_ISSOCK(status.st_mode) and (status.st_dev, status.st_ino) == self.inode:
                os.unlink(self.path.name, dir_fd=folder)

    def close(self) -> None:
        """Listen no more."""
        self.unlink()
        self.socket.close()


def listen(path: Path, temporary: str, backlog: int) -> Listener:
    """Listen at a real path, in place of what is there. Raises OSError.

    It listens under another name first: when the socket appears it is ready, and only its user's.
    """
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with _opened(path.parent) as folder:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary, dir_fd=folder)
        try:
            with _reachable(path.with_name(temporary), folder) as address:
                _bind_private(listener, address)
        except OSError:
            listener.close()
            raise
        listener.listen(backlog)
        listener.setblocking(False)
        status = os.stat(temporary, dir_fd=folder, follow_symlinks=False)
        os.replace(temporary, path.name, src_dir_fd=folder, dst_dir_fd=folder)
    return Listener(path, listener, (status.st_dev, status.st_ino))


def connect(path: Path) -> socket.socket:
    """Connect to a socket at a real path. Raises OSError; PermissionError when it is not ours alone."""
    status = os.lstat(path)
    if (
        not stat.S_ISSOCK(status.st_mode)
        or status.st_uid != os.getuid()
        or stat.S_IMODE(status.st_mode) & 0o077
    ):
        raise PermissionError(f"{str(path)!r} is not a socket that only this user can open")
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _opened(path.parent) as folder, _reachable(path, folder) as address:
            line.connect(address)
        if not is_peer_ours(line):
            raise PermissionError(f"another user is listening at {str(path)!r}")
    except OSError:
        line.close()
        raise
    return line


def is_peer_ours(line: socket.socket) -> bool:
    """Whether the other end is this user's. Where the system does not say, the mode of the file must do."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return True
    credentials = line.getsockopt(socket.SOL_SOCKET, option, struct.calcsize("3i"))
    return bool(struct.unpack("3i", credentials)[1] == os.getuid())


def _bind_private(listener: socket.socket, address: str) -> None:
    """Bind a socket that no other user can open, not even for a moment."""
    before = os.umask(0o177)
    try:
        listener.bind(address)
    finally:
        os.umask(before)


@contextlib.contextmanager
def _opened(folder: Path) -> Iterator[int]:
    handle = open_folder(str(folder))
    try:
        yield handle
    finally:
        os.close(handle)


@contextlib.contextmanager
def _reachable(path: Path, folder: int) -> Iterator[str]:
    """A path short enough for AF_UNIX, by the handle of its folder where the system has one.

    Elsewhere a long one goes through a link in a private folder.
    """
    if Path(by_handle := f"/proc/self/fd/{folder}").exists():
        yield f"{by_handle}/{path.name}"
        return
    if len(os.fsencode(path)) <= _MAX_PATH:
        yield str(path)
        return
    with tempfile.TemporaryDirectory(prefix="r", dir=_SHORT_FOLDER) as short:
        link = Path(short, "s")
        link.symlink_to(path.parent.absolute())
        yield str(link / path.name)
