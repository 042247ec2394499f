"""The hook socket: while the server runs, the prompt hook asks it over a socket that only its user can open.

One line of JSON in, one line out. A client that is slow, hostile or gone costs a file descriptor for a
moment, and no other client waits for it.
"""

import asyncio
import contextlib
import json
import logging
import os
import socket
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
from anyio import to_thread

from recollect.app.project import Recollect
from recollect.app.skills import Skills
from recollect.app.worker import ProjectWorker
from recollect.errors import RecollectError
from recollect.paths import HOOK_SOCKET
from recollect.private_socket import Listener, listen
from recollect.records.store import Progress
from recollect.retrieval.request import Request
from recollect.server.hook_answers import HookAnswers

_LOG = logging.getLogger(__name__)
VERSION = 1
MAX_BYTES = 64 * 1024
MAX_FILES = 50
MAX_CLIENTS = 16
CLIENT_SECONDS = 1.0  # for a client to send its request, and again to read the answer
PATIENCE = 0.25  # seconds to wait for our turn; the hook has given up long before


@dataclass(slots=True)
class HookSocket:
    """The socket of one project. Where it cannot be created, the hook searches by itself."""

    worker: ProjectWorker
    _listener: Listener | None = None
    _clients: int = 0
    _answers: HookAnswers = field(default_factory=HookAnswers)
    _scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)

    async def serve(self) -> None:
        """Warm up, then answer until `stop`; returns early where no socket can be created."""
        with self._scope:
            await self._search(Request("what was decided here", mode="auto", session=""))
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._read_skills)
                await self._listen(tasks)

    def stop(self) -> None:
        """Remove the socket and cancel the answers under way; `serve` returns when they have ended."""
        if self._listener is not None:
            self._listener.unlink()
        self._scope.cancel()

    async def _read_skills(self) -> None:
        """Build the skill graph before the first search needs it, while other requests are answered."""
        try:
            skills = await self.worker.run(_skills)
            if skills is not None:
                await to_thread.run_sync(skills.search, abandon_on_cancel=True)
        except Exception as error:  # a search reports it
            _LOG.info("the skills could not be read: %s", error)

    async def _listen(self, tasks: anyio.abc.TaskGroup) -> None:
        try:
            path = await self.worker.run(_socket_path)
            self._listener = listen(path, f"h.{os.getpid()}", MAX_CLIENTS)
        except (RecollectError, OSError) as error:
            _LOG.info("no hook socket: %s", error)
            return
        try:
            await self._accept(self._listener.socket, tasks)
        finally:
            self._listener.close()

    async def _accept(self, listener: socket.socket, tasks: anyio.abc.TaskGroup) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                client, _ = await loop.sock_accept(listener)
            except OSError:  # no descriptors left, or the client hung up at once
                await anyio.sleep(0.1)
                continue
            if self._clients >= MAX_CLIENTS:
                client.close()
                continue
            self._clients += 1
            tasks.start_soon(self._answer_client, client)

    async def _answer_client(self, client: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        try:
            client.setblocking(False)
            with client, contextlib.suppress(OSError):
                line = None
                with anyio.move_on_after(CLIENT_SECONDS):
                    line = await _line(loop, client)
                if line is not None:
                    answer = await self._answer_line(line)
                    with anyio.move_on_after(CLIENT_SECONDS):
                        await loop.sock_sendall(client, answer)
        finally:
            self._clients -= 1

    async def _answer_line(self, line: bytes) -> bytes:
        try:
            request = parse_request(line)
        except ValueError as error:
            return _packed({"error": str(error)})
        return _packed(await self._search(request, PATIENCE))

    async def _search(self, request: Request, patience: float | None = None) -> dict[str, Any]:
        """The hits; an error is an answer too, and no reason to end the server."""
        try:
            return await self.worker.run(
                lambda project, progress: self._answers.answer(project, progress, request),
                patience=patience,
            )
        except TimeoutError:
            return {"error": "busy"}
        except RecollectError as error:
            return {"error": str(error)}
        except Exception as error:
            _LOG.exception("a hook's request failed")
            return {"error": f"unexpected {type(error).__name__}"}


def _skills(recollect: Recollect, _progress: Progress) -> Skills | None:
    """The skills, where searches use them."""
    return recollect.searched_skills


def _socket_path(recollect: Recollect, _progress: Progress) -> Path:
    """The path of the socket, in a state folder that exists."""
    return recollect.prepare_state_folder() / HOOK_SOCKET


async def _line(loop: asyncio.AbstractEventLoop, client: socket.socket) -> bytes | None:
    """The first line; None when it is too long or the client hangs up before its end."""
    data = b""
    while b"\n" not in data:
        part = await loop.sock_recv(client, 16 * 1024)
        data += part
        if not part or len(data) > MAX_BYTES:
            return None
    return data.partition(b"\n")[0]


def parse_request(line: bytes) -> Request:
    """The search that a hook asks for. Raises ValueError for anything else."""
    try:
        request = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError("the request is not valid JSON") from None
    match request:
        case {"v": 1, "text": str(text)}:
            files, session = request.get("files", []), request.get("session", "")
            are_texts = isinstance(files, list) and all(isinstance(file, str) for file in files)
            if are_texts and isinstance(session, str):
                return Request(text, mode="auto", files=tuple(files[:MAX_FILES]), session=session)
    raise ValueError('a request is {"v": 1, "text": "...", "files": ["..."], "session": "..."}')


def _packed(answer: dict[str, Any]) -> bytes:
    return json.dumps({"v": VERSION} | answer).encode() + b"\n"
