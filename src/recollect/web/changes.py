"""What changed, for every open page: one watcher looks, and the streams pass on what it saw.

A page that was away names the last event it had, and hears of everything that changed since.
"""

import json
import secrets
from collections.abc import AsyncGenerator, Iterable, Mapping

import anyio
from anyio import to_thread

from recollect.app.change_versions import TOPICS, ChangeVersions, Topic
from recollect.app.state_source import Version

_LOOK_EVERY = 0.5  # seconds
_ALIVE_EVERY = 15.0  # seconds after which a silent stream says that it is there


class ChangeFeed:
    """The changes since this process started, numbered. It looks only while somebody listens."""

    def __init__(self, versions: ChangeVersions, look_every: float = _LOOK_EVERY) -> None:
        self._versions, self._look_every = versions, look_every
        self._process = secrets.token_hex(4)  # numbers of another process mean nothing here
        self._number = 0
        self._changed: dict[Topic, int] = dict.fromkeys(TOPICS, 0)
        self._listeners = 0
        self._seen: Mapping[Topic, Version] | None = None
        self._news, self._wanted = anyio.Event(), anyio.Event()

    async def watch(self) -> None:
        """Look for changes, for ever."""
        while True:
            await self._look()
            if not self._listeners:
                await self._wanted.wait()
            else:
                await anyio.sleep(self._look_every)

    async def _look(self) -> None:
        try:
            versions = await to_thread.run_sync(self._versions.read)
        except OSError:
            return  # a folder that cannot be read now; the next look tries again
        before, self._seen = self._seen or versions, versions
        changed = [topic for topic in TOPICS if versions[topic] != before[topic]]
        for topic in changed:
            self._number += 1
            self._changed[topic] = self._number
        if changed:
            self._news.set()
            self._news = anyio.Event()

    async def stream(self, last_event: str) -> AsyncGenerator[str]:
        """The changes after an event as server-sent events; without one, those from now on."""
        after = self._after(last_event) if last_event else self._number
        self._listeners += 1
        self._wanted.set()
        self._wanted = anyio.Event()
        try:
            yield self._ready(after)
            while True:
                news, number = self._news, self._number
                for text in list(self._since(after)):
                    yield text
                after = number
                with anyio.move_on_after(_ALIVE_EVERY) as silence:
                    await news.wait()
                if silence.cancelled_caught:
                    yield ": still here\n\n"
        finally:
            self._listeners -= 1

    def _after(self, event: str) -> int:
        """The number of an event; before everything if it is another process's or none of ours."""
        process, _, number = event.partition("-")
        return int(number) if process == self._process and number.isdecimal() else -1

    def _since(self, after: int) -> Iterable[str]:
        for topic, number in sorted(self._changed.items(), key=lambda change: change[1]):
            if number > after:
                data = json.dumps({"version": number})
                yield f"id: {self._process}-{number}\nevent: {topic}\ndata: {data}\n\n"

    def _ready(self, after: int) -> str:
        """The first event: the version of each topic, and what to name when the connection is lost."""
        id = f"id: {self._process}-{after}\n" if after >= 0 else ""
        return f"{id}event: ready\ndata: {json.dumps({'versions': self._changed})}\n\n"
