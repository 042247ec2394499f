"""Asking clients of the newer protocol: the result of a call has the questions, the next call the answers.

The work goes on in between, in a task of the server: an upstream that asks the older way waits for its
answer.
"""

import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
import mcp_types as types
from anyio.abc import TaskGroup
from mcp import MCPError
from mcp.server.lowlevel import Server

from recollect.server.caller import SessionCaller
from recollect.tools.caller import Caller

MOST_WAITING = 100  # calls that wait for a client; one more ends the one that waits longest
PATIENCE = 900.0  # seconds that a call waits for the answers

Reply = types.CallToolResult | types.InputRequiredResult
Work = Callable[[Caller], Awaitable[types.CallToolResult]]


class Rounds:
    """The calls of one server that wait for answers of their clients."""

    def __init__(self, tasks: TaskGroup) -> None:
        self._tasks = tasks
        self._waiting: dict[str, _OpenCall] = {}

    async def call(
        self, work: Work, caller: SessionCaller, params: types.CallToolRequestParams
    ) -> Reply:
        """Begin a call, or continue the one that `params` has answers for."""
        if params.request_state is None:
            call = _OpenCall(caller)
            self._tasks.start_soon(call.run, work)
        else:
            call = self._continued(params.request_state, caller, params.input_responses or {})
        try:
            reply = await call.next_reply()
        except anyio.get_cancelled_exc_class():
            call.scope.cancel()
            raise
        if isinstance(reply, types.CallToolResult):
            return reply
        state = secrets.token_urlsafe(16)
        self._suspend(state, call)
        return types.InputRequiredResult(input_requests=reply, request_state=state)

    def _continued(
        self, state: str, caller: SessionCaller, answers: types.InputResponses
    ) -> "_OpenCall":
        call = self._waiting.pop(state, None)
        if call is None:
            raise MCPError(types.INVALID_PARAMS, "this call is no longer open; call the tool again.")
        call.take(answers, caller)
        return call

    def _suspend(self, state: str, call: "_OpenCall") -> None:
        while len(self._waiting) >= MOST_WAITING:
            self._waiting.pop(next(iter(self._waiting))).scope.cancel()
        self._waiting[state] = call
        call.scope.deadline = anyio.current_time() + PATIENCE


@asynccontextmanager
async def rounds(_: Server[Any]) -> AsyncIterator[Rounds]:
    """The lifespan of a server: what waits is cancelled with it."""
    async with anyio.create_task_group() as tasks:
        yield Rounds(tasks)
        tasks.cancel_scope.cancel()


@dataclass(slots=True)
class _Question:
    request: types.InputRequest
    answered: anyio.Event = field(default_factory=anyio.Event)
    answer: types.InputResponse | None = None


class _OpenCall:
    """One call over several requests, as a Caller. Progress goes to the newest request."""

    def __init__(self, caller: SessionCaller) -> None:
        self.scope = anyio.CancelScope()
        self._caller = caller
        self._questions: dict[str, _Question] = {}
        self._asked = 0
        self._result: types.CallToolResult | None = None
        self._error: Exception | None = None
        self._news = anyio.Event()

    @property
    def session(self) -> str | None:
        return self._caller.session

    @property
    def client(self) -> str:
        return self._caller.client

    async def report(
        self, done: float, total: float | None = None, message: str | None = None, /
    ) -> None:
        await self._caller.report(done, total, message)

    async def log(self, message: types.LoggingMessageNotificationParams) -> None:
        await self._caller.log(message)

    async def answer(self, question: types.InputRequest) -> types.InputResponse:
        """What the client answers with its next request. Raises MCPError if it does not offer that."""
        self._caller.require(question)
        self._asked += 1
        pending = self._questions[str(self._asked)] = _Question(question)
        self._news.set()
        await pending.answered.wait()
        if pending.answer is None:
            raise MCPError(types.INVALID_PARAMS, "the client did not answer")
        return pending.answer

    async def run(self, work: Work) -> None:
        """Do the work to its end."""
        try:
            with self.scope:
                self._result = await work(self)
        except Exception as error:
            self._error = error
        finally:
            self._news.set()

    async def next_reply(self) -> types.CallToolResult | types.InputRequests:
        """The result, or the questions that come before it. Raises what the work raised."""
        await self._news.wait()
        if self._error is not None:
            raise self._error
        if self._result is not None:
            return self._result
        if not self._questions:
            raise MCPError(types.INVALID_REQUEST, "the call was cancelled")
        return {key: question.request for key, question in self._questions.items()}

    def take(self, answers: types.InputResponses, caller: SessionCaller) -> None:
        """Give the work its answers; a question without one is refused."""
        self._caller, self._news = caller, anyio.Event()
        self.scope.deadline = float("inf")
        questions, self._questions = self._questions, {}
        for key, question in questions.items():
            question.answer = answers.get(key)
            question.answered.set()
