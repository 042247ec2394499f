"""The warm path: while the server runs, the prompt hook may ask it over a socket only we can open.

One line of JSON in, one line out. A client that is slow, hostile or gone costs a file descriptor for a
moment, and nobody else waits for it.
"""

import asyncio
import contextlib
import json
import logging
import os
import socket
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
from anyio import to_thread

from recollect.app.project import Recollect
from recollect.errors import RecollectError
from recollect.records.store import Progress
from recollect.server.bridge import Bridge
from recollect.server.hook_answers import HookAnswers
from recollect.user_paths import HOOK_SOCKET

_LOG = logging.getLogger(__name__)
VERSION = 1
MOST_BYTES = 64 * 1024
MOST_FILES = 50
MOST_CLIENTS = 16
SECONDS = 1.0  # for a client to say all it has to, and then to hear the answer
PATIENCE = 0.25  # seconds to wait for our turn; the hook has given up long before
_PATH_BYTES = 103  # what AF_UNIX takes on every system, less the closing zero
_SHORT = "/tmp"  # noqa: S108 - for a folder that only we may enter; TMPDIR may itself be long


@dataclass(slots=True)
class WarmPath:
    """The socket of one project. Where it cannot be made, the hook answers by itself."""

    bridge: Bridge
    _path: Path | None = None
    _socket: socket.socket | None = None
    _made: tuple[int, int] | None = None
    _clients: int = 0
    _prompted: HookAnswers = field(default_factory=HookAnswers)

    async def serve(self) -> None:
        """Warm up, then answer until cancelled; gives up where there is no room for a socket."""
        await self._found("what was decided here", ())
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._read_skills)
            await self._listen(tasks)

    async def _read_skills(self) -> None:
        """Have the skill graph ready before it is asked for, if it ever is, while others take their turns."""
        try:
            skills = await self.bridge.run(lambda one, _: one.skills if one.finder.graph else None)
            if skills is not None:
                await to_thread.run_sync(skills.search, abandon_on_cancel=True)
        except Exception as error:  # a search without skills says so itself
            _LOG.info("no skills yet: %s", error)

    async def _listen(self, tasks: anyio.abc.TaskGroup) -> None:
        try:
            self._path = await self.bridge.run(_place)
            self._open()
        except (RecollectError, OSError) as error:
            _LOG.info("no warm path: %s", error)
            return
        try:
            await self._accept(tasks)
        finally:
            self.close()

    def _open(self) -> None:
        """Listen under another name first: the socket is whole and ours alone when it appears."""
        assert self._path is not None
        own = self._path.with_name(f"h.{os.getpid()}")
        own.unlink(missing_ok=True)
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            with _reachable(own) as address:
                _bind_alone(listening, address)
        except OSError:
            listening.close()
            raise
        listening.listen(MOST_CLIENTS)
        listening.setblocking(False)
        told = own.lstat()
        self._socket, self._made = listening, (told.st_dev, told.st_ino)
        own.replace(self._path)

    def close(self) -> None:
        """Stop listening; the file goes too, unless a newer server has put its own there."""
        if self._socket is None or self._path is None:
            return
        with contextlib.suppress(OSError):
            told = self._path.lstat()
            if stat.S_ISSOCK(told.st_mode) and (told.st_dev, told.st_ino) == self._made:
                self._path.unlink()
        self._socket.close()
        self._socket = None

    async def _accept(self, tasks: anyio.abc.TaskGroup) -> None:
        assert self._socket is not None
        loop = asyncio.get_running_loop()
        while True:
            try:
                client, _ = await loop.sock_accept(self._socket)
            except OSError:  # no descriptors left, or a client that was gone at once
                await anyio.sleep(0.1)
                continue
            if self._clients >= MOST_CLIENTS:
                client.close()
                continue
            self._clients += 1
            tasks.start_soon(self._attend, client)

    async def _attend(self, client: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        try:
            client.setblocking(False)
            with client, contextlib.suppress(OSError):
                line = None
                with anyio.move_on_after(SECONDS):
                    line = await _line(loop, client)
                if line is not None:
                    answer = await self._answer(line)
                    with anyio.move_on_after(SECONDS):
                        await loop.sock_sendall(client, answer)
        finally:
            self._clients -= 1

    async def _answer(self, line: bytes) -> bytes:
        try:
            text, files = asked(line)
        except ValueError as error:
            return _packed({"error": str(error)})
        return _packed(await self._found(text, files, PATIENCE))

    async def _found(
        self, text: str, files: tuple[str, ...], patience: float | None = None
    ) -> dict[str, Any]:
        """What is found; what went wrong is told, and no reason to end the server."""
        try:
            return await self.bridge.run(
                lambda one, tell: self._prompted.answer(one, tell, text, files), patience=patience
            )
        except TimeoutError:
            return {"error": "busy"}
        except RecollectError as error:
            return {"error": str(error)}
        except Exception as error:
            _LOG.exception("the hook could not be answered")
            return {"error": f"unexpected {type(error).__name__}"}


def _place(recollect: Recollect, _progress: Progress) -> Path:
    """Where the socket belongs."""
    recollect.shelf.store.prepare_state()
    return recollect.project.root.state / HOOK_SOCKET


def _bind_alone(listening: socket.socket, address: str) -> None:
    """Bind a socket so that nobody else may open it, from its first moment."""
    before = os.umask(0o177)
    try:
        listening.bind(address)
    finally:
        os.umask(before)


@contextlib.contextmanager
def _reachable(path: Path) -> Iterator[str]:
    """A path as AF_UNIX takes it: a long one through a link to its folder, in a folder of ours alone."""
    if len(os.fsencode(path)) <= _PATH_BYTES:
        yield str(path)
        return
    with tempfile.TemporaryDirectory(prefix="r", dir=_SHORT) as short:
        link = Path(short, "s")
        link.symlink_to(path.parent.absolute())
        yield str(link / path.name)


async def _line(loop: asyncio.AbstractEventLoop, client: socket.socket) -> bytes | None:
    """The first line; None when it is too long or never ends."""
    data = b""
    while b"\n" not in data:
        part = await loop.sock_recv(client, 16 * 1024)
        data += part
        if not part or len(data) > MOST_BYTES:
            return None
    return data.partition(b"\n")[0]


def asked(line: bytes) -> tuple[str, tuple[str, ...]]:
    """The text and the files of a request. Raises ValueError for anything else."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError("the request is not JSON") from None
    match found:
        case {"v": 1, "text": str(text)}:
            files = found.get("files", [])
            if isinstance(files, list) and all(isinstance(file, str) for file in files):
                return text, tuple(files[:MOST_FILES])
    raise ValueError('a request is {"v": 1, "text": "...", "files": ["..."]}')


def _packed(answer: dict[str, Any]) -> bytes:
    return json.dumps({"v": VERSION} | answer).encode() + b"\n"
