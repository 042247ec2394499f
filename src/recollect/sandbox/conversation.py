"""One guest's side of the talk with the host: what it wants at each stop, and what it is answered."""

from dataclasses import replace
from typing import TypeAlias, assert_never

import anyio
from pydantic_monty import (
    ExternalResult,
    FunctionSnapshot,
    FutureSnapshot,
    MontyComplete,
    NameLookupSnapshot,
)

from recollect.errors import RecollectError
from recollect.sandbox.bridge import CallAnswer, GuestException, HostCalls
from recollect.sandbox.guest import (
    GuestCall,
    GuestFailed,
    GuestFinished,
    GuestOutcome,
    GuestSuspended,
)
from recollect.sandbox.limits import GuestLimits
from recollect.sandbox.values import bounded, call_arguments, json_value

Step: TypeAlias = FunctionSnapshot | NameLookupSnapshot | FutureSnapshot | MontyComplete
_ASYNC_SLEEP = "system.async_sleep"
_SLEEP = "sleep"  # what a sleep is called among the open calls


class Conversation:
    """Answers each stop of a guest until it ends: `reply` decides, `resume` tells the guest."""

    def __init__(
        self,
        limits: GuestLimits,
        calls: HostCalls,
        code: str,
        functions: frozenset[str],
        waiting: dict[int, str] | None = None,
        used_calls: int = 0,
    ) -> None:
        self._limits, self._calls, self._functions = limits, calls, functions
        self.code = code
        self._source = code.encode("utf-8", "replace")
        self._waiting = waiting or {}
        self._used, self._slept = used_calls, 0.0
        self._resume: Resumption | None = None

    async def reply(self, step: Step) -> GuestOutcome | None:
        """How the guest ended; None if it goes on, with what `resume` does."""
        match step:
            case MontyComplete():
                return self._finished(step)
            case NameLookupSnapshot():
                self._resume = NameAnswer(step, step.variable_name in self._functions)
                return None
            case FunctionSnapshot():
                return self._called(step)
            case FutureSnapshot():
                return await self._blocked(step)
            case _:
                assert_never(step)

    def resume(self) -> Step:
        """Let the guest go on with its answer. Blocks while it computes."""
        assert self._resume is not None
        return self._resume.send()

    def with_printed(self, outcome: GuestOutcome, printed: str) -> GuestOutcome:
        """The outcome with everything that the guest printed."""
        return replace(outcome, printed=printed)

    def _finished(self, step: MontyComplete) -> GuestOutcome:
        try:
            value = json_value(step.output)
            bounded(value, self._limits.result)
        except RecollectError as error:
            return GuestFailed("limit", f"the result cannot be returned: {error}")
        return GuestFinished(value)

    def _called(self, step: FunctionSnapshot) -> GuestOutcome | None:
        if step.is_os_function and step.function_name == _ASYNC_SLEEP:
            return self._sleep(step)
        if step.is_os_function:
            self._resume = NotAvailable(step)
            return None
        name = str(step.function_name)
        if name not in self._functions:
            self._answer(step, f"there is no function {name!r}", "RuntimeError")
            return None
        self._used += 1
        if self._used > self._limits.calls:
            most = f"the code makes more than {self._limits.calls} calls"
            return GuestFailed("limit", most, self._line(step))
        try:
            arguments = call_arguments(step.args, step.kwargs, self._limits.result)
            self._waiting[step.call_id] = self._calls.begin(
                GuestCall(name, arguments, self._line(step))
            )
        except RecollectError as error:
            self._waiting.pop(step.call_id, None)
            self._answer(step, str(error), "TypeError")
            return None
        self._resume = FunctionAnswer(step, {"future": ...})
        return None

    def _sleep(self, step: FunctionSnapshot) -> GuestOutcome | None:
        """Sleeps add up: gathered ones are short, and none is a way to stay."""
        seconds = step.args[0] if step.args and isinstance(step.args[0], int | float) else 0.0
        self._slept += max(0.0, seconds)
        if not self._slept <= self._limits.seconds:
            most = f"the code sleeps longer than {self._limits.seconds:g} s"
            return GuestFailed("limit", most, self._line(step))
        self._waiting[step.call_id] = f"{_SLEEP} {seconds}"
        self._resume = FunctionAnswer(step, {"future": ...})
        return None

    async def _blocked(self, step: FutureSnapshot) -> GuestOutcome | None:
        open_calls = {id: self._waiting[id] for id in step.pending_call_ids if id in self._waiting}
        sleeps = {id: name for id, name in open_calls.items() if name.startswith(_SLEEP)}
        if sleeps:
            shortest = min(sleeps, key=lambda id: float(sleeps[id].removeprefix(_SLEEP)))
            answers = await self._first(open_calls, shortest)
        else:
            answers = await self._answers(open_calls)
        if not answers:
            state = await anyio.to_thread.run_sync(step.dump)
            return GuestSuspended(state, open_calls)
        for id in answers:
            del self._waiting[id]
        self._resume = FutureAnswer(step, answers)
        return None

    async def _first(self, open_calls: dict[int, str], sleep: int) -> dict[int, CallAnswer]:
        """The answers that come before the shortest sleep is over, or that."""
        calls = {id: name for id, name in open_calls.items() if not name.startswith(_SLEEP)}
        with anyio.move_on_after(float(open_calls[sleep].removeprefix(_SLEEP))):
            if calls:
                answers = await self._answers(calls)
                if answers:
                    return answers
            await anyio.sleep_forever()
        return {sleep: CallAnswer(None)}

    async def _answers(self, open_calls: dict[int, str]) -> dict[int, CallAnswer]:
        settled = await self._calls.settled(list(open_calls.values()))
        return {id: settled[name] for id, name in open_calls.items() if name in settled}

    def _answer(self, step: FunctionSnapshot, message: str, exception: GuestException) -> None:
        self._resume = FunctionAnswer(step, {"exc_type": exception, "message": message})

    def _line(self, step: FunctionSnapshot) -> int:
        """The line of the guest's own code, 0 inside of text that it evaluates."""
        position = step.position
        if not position.filename.startswith("<python-input"):
            return 0
        return self._source.count(b"\n", 0, position.start) + 1


class FunctionAnswer:
    """The answer to a call."""

    def __init__(self, step: FunctionSnapshot, result: ExternalResult) -> None:
        self._step, self._result = step, result

    def send(self) -> Step:
        return self._step.resume(self._result)


class NotAvailable:
    """The answer to a request for files, the environment, modules: there is nothing."""

    def __init__(self, step: FunctionSnapshot) -> None:
        self._step = step

    def send(self) -> Step:
        return self._step.resume_not_handled()


class NameAnswer:
    """The answer to a name: one of our functions, or nothing."""

    def __init__(self, step: NameLookupSnapshot, is_function: bool) -> None:
        self._step, self._is_function = step, is_function

    def send(self) -> Step:
        if not self._is_function:
            return self._step.resume()

        def function() -> None: ...

        function.__name__ = self._step.variable_name
        return self._step.resume(value=function)


class FutureAnswer:
    """The answers to calls that the guest waits for."""

    def __init__(self, step: FutureSnapshot, answers: dict[int, CallAnswer]) -> None:
        self._step, self._answers = step, answers

    def send(self) -> Step:
        return self._step.resume(
            {
                id: {"exc_type": answer.exception, "message": answer.error}
                if answer.error
                else {"return_value": answer.value}
                for id, answer in self._answers.items()
            }
        )


Resumption: TypeAlias = FunctionAnswer | NotAvailable | NameAnswer | FutureAnswer
