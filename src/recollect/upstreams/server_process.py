"""The process of one server, behind its guardian: lines in, lines out, and an end that comes for certain."""

import asyncio
import os
from asyncio.subprocess import PIPE
from collections.abc import Callable
from contextlib import suppress
from typing import cast

from recollect.interpreter import python
from recollect.upstreams import guardian
from recollect.upstreams.lease_request import LeaseRequest
from recollect.upstreams.lines import MOST_BYTES, LineBuffer

_GRACE = 2.0  # seconds for a server to end by itself after its input has ended
_OUTPUT = 1


class ServerProcess(asyncio.SubprocessProtocol):
    """A running server. `on_end` is called once, with the exit code or what the server did wrong."""

    def __init__(self, on_line: Callable[[bytes], None], on_end: Callable[[int | str], None]) -> None:
        self._on_line, self._on_end = on_line, on_end
        self._buffer = LineBuffer()
        self._transport: asyncio.SubprocessTransport | None = None
        self._is_over = False
        self.gone = asyncio.Event()

    @property
    def pid(self) -> int | None:
        """The guardian's."""
        return None if self._transport is None else self._transport.get_pid()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.SubprocessTransport", transport)

    def pipe_data_received(self, _fd: int, data: bytes | str) -> None:
        try:
            lines = self._buffer.lines(cast("bytes", data))
        except OverflowError as error:
            self._fail(f"wrote {error}")
            return
        for line in lines:
            if not self._is_over:
                self._on_line(line)

    def pipe_connection_lost(self, fd: int, _exc: Exception | None) -> None:
        """A server that closed its output has ended, or is of no use any more."""
        if fd == _OUTPUT:
            asyncio.get_running_loop().call_later(_GRACE, self.kill)

    def connection_lost(self, _exc: Exception | None) -> None:
        """The process has ended, and all that it wrote was read."""
        self.gone.set()
        code = self._transport.get_returncode() if self._transport else None
        self._over(0 if code is None else code)

    def write(self, line: bytes) -> None:
        """Send a line; a server that does not read its input has failed."""
        assert self._transport is not None
        pipe = cast("asyncio.WriteTransport", self._transport.get_pipe_transport(0))
        if pipe.is_closing():
            return
        pipe.write(line)
        if pipe.get_write_buffer_size() > MOST_BYTES:
            self._fail("does not read its input")

    def stop(self) -> None:
        """End the input, and the process if that is not enough. Nothing that it says from now on is heard."""
        self._is_over = True
        if self._transport is None or self.gone.is_set():
            return
        pipe = self._transport.get_pipe_transport(0)
        if pipe is not None:
            pipe.close()
        asyncio.get_running_loop().call_later(_GRACE, self.kill)

    def kill(self) -> None:
        """Have the guardian end the server with everything that it started."""
        if self._transport is not None and not self.gone.is_set():
            with suppress(ProcessLookupError):
                self._transport.terminate()

    def _fail(self, reason: str) -> None:
        self.kill()
        self._over(reason)

    def _over(self, outcome: int | str) -> None:
        if not self._is_over:
            self._is_over = True
            self._on_end(outcome)


async def start_process(
    request: LeaseRequest, on_line: Callable[[bytes], None], on_end: Callable[[int | str], None]
) -> ServerProcess:
    """Start the server behind a guardian. Raises OSError when its folder or its log cannot be opened."""
    command = python("-S", guardian.__file__, request.log, request.command, *request.arguments)
    errors = guardian.open_log(request.log)  # of the guardian itself
    try:
        _, process = await asyncio.get_running_loop().subprocess_exec(
            lambda: ServerProcess(on_line, on_end),
            *command,
            stdin=PIPE,
            stdout=PIPE,
            stderr=errors,
            env=dict(request.env),
            cwd=request.folder,
            start_new_session=True,
        )
    finally:
        os.close(errors)
    return process
