"""The bridge: how the calls of a guest reach the host, and how answers come back."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

import anyio
from anyio.abc import TaskGroup

from recollect.errors import RecollectError
from recollect.records.json_format import Json, JsonObject
from recollect.sandbox.guest import GuestCall

# Exceptions that a guest can catch by name.
GuestException = Literal["RuntimeError", "PermissionError", "TimeoutError", "ValueError", "TypeError"]


@dataclass(frozen=True, slots=True)
class CallAnswer:
    """What a call gave, or the exception that the guest sees instead."""

    value: Json = None
    error: str = ""
    exception: GuestException = "RuntimeError"


class HostCalls(Protocol):
    """The host's side of the calls of one guest."""

    def begin(self, call: GuestCall) -> str:
        """Start a call and name it. Raises RecollectError for one that the guest may not make."""
        ...

    async def settled(self, names: Collection[str]) -> Mapping[str, CallAnswer]:
        """Wait for the first answers of these calls. Nothing means: the guest is to be suspended."""
        ...


class AsyncFunctions:
    """Calls of plain async functions, all at the same time; none is ever suspended."""

    def __init__(
        self, functions: Mapping[str, Callable[[JsonObject], Awaitable[Json]]], tasks: TaskGroup
    ) -> None:
        self._functions, self._tasks = functions, tasks
        self._answers: dict[str, CallAnswer] = {}
        self._news = anyio.Event()
        self.trace: list[GuestCall] = []

    def begin(self, call: GuestCall) -> str:
        name = str(len(self.trace))
        self.trace.append(call)
        self._tasks.start_soon(self._perform, name, call)
        return name

    async def settled(self, names: Collection[str]) -> Mapping[str, CallAnswer]:
        while not self._answers.keys() & set(names):
            self._news = anyio.Event()
            await self._news.wait()
        return {name: self._answers.pop(name) for name in names if name in self._answers}

    async def _perform(self, name: str, call: GuestCall) -> None:
        try:
            value = await self._functions[call.function](call.arguments)
            self._answers[name] = CallAnswer(value)
        except RecollectError as error:
            self._answers[name] = CallAnswer(error=str(error))
        self._news.set()
