"""Answers that go on: server-sent events to many clients at once, up to a maximum."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

import anyio
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from recollect.loopback.answers import error_answer
from recollect.loopback.endpoint import EVENT_STREAM


class Streams:
    """The open streams of a server. `end` ends them all, which a server does before it stops."""

    def __init__(self, most: int) -> None:
        self._free = most
        self._ended = anyio.Event()

    def end(self) -> None:
        """End every stream."""
        self._ended.set()

    def answer(self, texts: AsyncGenerator[str]) -> Response:
        """A stream of these texts; a refusal when there are too many."""
        if not self._free:
            return error_answer("too many listeners; end one first", 503)
        self._free -= 1
        return _Stream(texts, self._ended, self._release)

    def _release(self) -> None:
        self._free += 1


class _Stream(StreamingResponse):
    """One stream, which ends with its texts, with its client, or with all streams."""

    def __init__(
        self, texts: AsyncGenerator[str], ended: anyio.Event, release: Callable[[], None]
    ) -> None:
        super().__init__(texts, media_type=EVENT_STREAM, headers={"Cache-Control": "no-store"})
        self._texts, self._ended, self._release = texts, ended, release
        self._is_cut = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            async with aclosing(self._texts), anyio.create_task_group() as tasks:
                tasks.start_soon(self._cut, tasks.cancel_scope)
                await super().__call__(scope, receive, send)
                tasks.cancel_scope.cancel()
        finally:
            self._release()
        if self._is_cut:
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _cut(self, stream: anyio.CancelScope) -> None:
        await self._ended.wait()
        self._is_cut = True
        stream.cancel()
