"""Guests and the host: calls in parallel, errors with their line, types before the run, suspension."""

from collections.abc import Awaitable, Callable, Collection, Mapping

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.requirements import requirement

from recollect.errors import RefusedError
from recollect.records.json_format import Json, JsonObject
from recollect.sandbox.bridge import AsyncFunctions, CallAnswer
from recollect.sandbox.guest import (
    Guest,
    GuestCall,
    GuestFailed,
    GuestFinished,
    GuestOutcome,
    GuestSuspended,
)
from recollect.sandbox.runner import Sandbox
from recollect.sandbox.stubs import ToolFunction, stubs_of

pytestmark = pytest.mark.anyio
Tool = Callable[[JsonObject], Awaitable[Json]]


async def echo(arguments: JsonObject) -> Json:
    return arguments


async def refuses(_: JsonObject) -> Json:
    raise RefusedError("this server is closed today")


async def run(sandbox: Sandbox, code: str, **tools: Tool) -> tuple[GuestOutcome, list[GuestCall]]:
    async with anyio.create_task_group() as tasks:
        calls = AsyncFunctions(tools, tasks)
        outcome = await sandbox.run(Guest(code, functions=frozenset(tools)), calls)
        tasks.cancel_scope.cancel()
    return outcome, calls.trace


@requirement("sandbox:bridge")
async def test_gathered_calls_are_open_at_the_same_time(sandbox: Sandbox) -> None:
    everyone, inside = anyio.Event(), 0

    async def meets(arguments: JsonObject) -> Json:
        nonlocal inside
        inside += 1
        if inside == 10:
            everyone.set()
        await everyone.wait()
        return arguments["n"]

    code = "import asyncio\nawait asyncio.gather(*[meets(n=n) for n in range(10)])"
    with anyio.fail_after(10):
        outcome, _ = await run(sandbox, code, meets=meets)
    assert outcome == GuestFinished(list(range(10)))


@requirement("sandbox:trace")
async def test_every_call_is_traced_with_its_arguments_and_line(sandbox: Sandbox) -> None:
    code = "a = await echo(x=1)\n# é\nb = await echo(y=a)\nexec('await_later = echo(z=2)')\nNone"
    _, trace = await run(sandbox, code, echo=echo)
    assert trace == [
        GuestCall("echo", {"x": 1}, 1),
        GuestCall("echo", {"y": {"x": 1}}, 3),
        GuestCall("echo", {"z": 2}, 0),
    ]


@requirement("sandbox:errors")
async def test_a_failed_call_can_be_caught_inside(sandbox: Sandbox) -> None:
    code = "try:\n    await refuses()\nexcept RuntimeError as error:\n    x = str(error)\nx"
    outcome, _ = await run(sandbox, code, refuses=refuses)
    assert outcome == GuestFinished("this server is closed today")


@requirement("sandbox:errors")
async def test_an_error_says_the_line_of_the_guests_own_code(sandbox: Sandbox) -> None:
    code = "print('before')\ndef f():\n    return await_me()\nasync def g():\n    await refuses()\nawait g()"
    outcome, _ = await run(sandbox, code, refuses=refuses)
    assert isinstance(outcome, GuestFailed)
    assert outcome.reason == "error"
    assert outcome.line == 5
    assert outcome.printed == "before\n"
    assert "await refuses()" in outcome.error
    assert "python-input" not in outcome.error


@requirement("sandbox:bridge")
@pytest.mark.parametrize(
    ("call", "problem"),
    [("echo('a')", "named arguments"), ("other(x=1)", "no function"), ("echo(x=9 ** 20000)", "digits")],
)
async def test_a_call_that_no_tool_can_take_is_an_error_inside(
    sandbox: Sandbox, call: str, problem: str
) -> None:
    code = f"try:\n    x = await {call}\nexcept Exception as error:\n    x = error\nstr(x)"
    outcome, _ = await run(sandbox, code, echo=echo)
    assert isinstance(outcome, GuestFinished)
    assert problem in str(outcome.value)


@requirement("sandbox:bridge")
async def test_a_function_is_a_value_that_can_be_passed_on(sandbox: Sandbox) -> None:
    code = "async def twice(f):\n    return [await f(n=1), await f(n=2)]\nawait twice(echo)"
    outcome, _ = await run(sandbox, code, echo=echo)
    assert outcome == GuestFinished([{"n": 1}, {"n": 2}])


async def test_what_json_does_not_have_becomes_text(sandbox: Sandbox) -> None:
    code = "class A: pass\n[float('nan'), b'x', (1, 2), {3}, {4: 5}, 9 ** 20000, '\\ud800']"
    outcome, _ = await run(sandbox, code)
    assert isinstance(outcome, GuestFinished)
    assert outcome.value == [
        "nan",
        "b'x'",
        [1, 2],
        [3],
        {"4": 5},
        "a number of many digits",
        "\N{REPLACEMENT CHARACTER}",
    ]


FUNCTIONS = [
    ToolFunction(
        "time:get_current_time",
        {"properties": {"timezone": {"type": "string"}}, "required": ["timezone"]},
        {
            "type": "object",
            "properties": {"hour": {"type": "integer"}, "zone": {"type": "string"}},
            "required": ["hour"],
        },
        'The time. """\nimport os',
    ),
    ToolFunction("fs:read-file", {"properties": {"path": {"type": "string"}, "a-b": {}}}),
]


@requirement("sandbox:types")
@pytest.mark.parametrize(
    ("code", "line", "problem"),
    [
        ("await time_get_current_time()", 1, "timezone"),
        ("\nawait time_get_current_time(timezone=3)", 2, "str"),
        ("t = await time_get_current_time(timezone='UTC')\nt['minute']", 2, "minute"),
        ("t = time_get_current_time(timezone='UTC')\nt['hour']", 2, "Coroutine"),
        ("await time_get_curent_time(timezone='UTC')", 1, "time_get_curent_time"),
        ("t = await time_get_current_time(timezone='UTC')\nt['hour'] + 'x'", 2, "+"),
    ],
)
async def test_wrong_code_is_refused_before_anything_is_called(
    sandbox: Sandbox, code: str, line: int, problem: str
) -> None:
    async with anyio.create_task_group() as tasks:
        calls = AsyncFunctions({"time_get_current_time": echo}, tasks)
        guest = Guest(code, functions=frozenset({"time_get_current_time"}), stubs=stubs_of(FUNCTIONS))
        outcome = await sandbox.run(guest, calls)
    assert isinstance(outcome, GuestFailed)
    assert (outcome.reason, outcome.line) == ("types", line)
    assert problem in outcome.error
    assert calls.trace == []


@requirement("sandbox:types")
async def test_right_code_passes_the_check(sandbox: Sandbox) -> None:
    async def clock(_: JsonObject) -> Json:
        return {"hour": 5}

    code = (
        "t = await time_get_current_time(timezone='UTC')\n"
        "r = await fs_read_file(path='a')\nt['hour'] + r['hour']"
    )
    async with anyio.create_task_group() as tasks:
        names = {"time_get_current_time": clock, "fs_read_file": clock}
        guest = Guest(code, functions=frozenset(names), stubs=stubs_of(FUNCTIONS))
        outcome = await sandbox.run(guest, AsyncFunctions(names, tasks))
    assert outcome == GuestFinished(10)


class Suspending:
    """A host that suspends its guest at the first wait."""

    def __init__(self) -> None:
        self.begun: list[GuestCall] = []

    def begin(self, call: GuestCall) -> str:
        self.begun.append(call)
        return f"call {len(self.begun)}"

    async def settled(self, names: Collection[str]) -> Mapping[str, CallAnswer]:
        return {}


class Answering:
    """A host that answers every call with a number."""

    def begin(self, call: GuestCall) -> str:
        return "later"

    async def settled(self, names: Collection[str]) -> Mapping[str, CallAnswer]:
        return {name: CallAnswer(len(name)) for name in names}


@requirement("sandbox:suspension")
async def test_a_suspended_guest_goes_on_in_another_sandbox(sandbox: Sandbox) -> None:
    code = "print('one')\na = await echo(x=1)\nb = await echo(x=2)\nprint('two')\n[a, b]"
    guest = Guest(code, functions=frozenset({"echo"}))
    suspended = await sandbox.run(guest, Suspending())
    assert isinstance(suspended, GuestSuspended)
    assert list(suspended.waiting.values()) == ["call 1"]

    other = Sandbox(sandbox.limits)
    try:
        outcome = await other.resume(guest, suspended, Answering(), 1)
    finally:
        other.close()
    assert outcome == GuestFinished([6, 5], "one\ntwo\n")


@requirement("sandbox:bridge")
async def test_cancelling_ends_the_guest_at_once(sandbox: Sandbox) -> None:
    """Its worker is ended: nothing waits until the guest has used up its time."""
    with anyio.move_on_after(0.05):
        await run(sandbox, "while True: pass")
    outcome, _ = await run(sandbox, "1")
    assert outcome == GuestFinished(1)


json_values: st.SearchStrategy[Json] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@requirement("sandbox:bridge-fuzz")
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=json_values)
async def test_any_answer_of_a_tool_arrives_as_it_was(sandbox: Sandbox, value: Json) -> None:
    async def gives(_: JsonObject) -> Json:
        return value

    outcome, _ = await run(sandbox, "await gives()", gives=gives)
    assert outcome == GuestFinished(value)


@requirement("sandbox:bridge-fuzz")
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(arguments=st.dictionaries(st.text(max_size=8), json_values, max_size=4))
async def test_any_arguments_arrive_as_they_were(sandbox: Sandbox, arguments: JsonObject) -> None:
    async with anyio.create_task_group() as tasks:
        calls = AsyncFunctions({"echo": echo}, tasks)
        guest = Guest("await echo(**given)", {"given": arguments}, frozenset({"echo"}))
        outcome = await sandbox.run(guest, calls)
    assert outcome == GuestFinished(arguments)


@requirement("sandbox:bridge-fuzz")
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(code=st.text(max_size=80) | st.binary(max_size=60).map(lambda raw: raw.decode("latin-1")))
async def test_no_text_as_code_raises_in_the_host(sandbox: Sandbox, code: str) -> None:
    outcome, _ = await run(sandbox, code, echo=echo)
    assert isinstance(outcome, GuestFinished | GuestFailed)


@requirement("sandbox:bridge-fuzz")
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    cut=st.integers(0, 4_000),
    byte=st.integers(1, 255),
    waiting=st.dictionaries(st.integers(0, 5), st.text()),
)
async def test_a_damaged_state_harms_no_other_guest(
    sandbox: Sandbox, cut: int, byte: int, waiting: dict[int, str]
) -> None:
    """Signatures keep such a state out; this is what stands behind them."""
    guest = Guest("a = await echo(x=1)\na", functions=frozenset({"echo"}))
    suspended = await sandbox.run(guest, Suspending())
    assert isinstance(suspended, GuestSuspended)
    state = bytearray(suspended.state)
    state[cut % len(state)] ^= byte

    damaged = GuestSuspended(bytes(state), waiting)
    with anyio.move_on_after(5):
        await sandbox.resume(guest, damaged, Answering())
    assert (await run(sandbox, "2"))[0] == GuestFinished(2)
