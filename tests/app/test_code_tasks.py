"""Code as a task of a run: its calls are tasks too, with approvals, a journal, and a way on after an end."""

import sqlite3
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path

import anyio
import pytest
from tests.app.run_tools import GATE, Function, Functions, Person, echo, happened, journal_in
from tests.requirements import requirement

from recollect.app.code_functions import CodeFunctions, and_capabilities
from recollect.app.code_tasks import CodeRoom, CodeTasks
from recollect.app.run_driver import RunDriver
from recollect.app.run_journal import RunJournal
from recollect.clock import utc_now
from recollect.learning.capabilities import Capability
from recollect.records.json_format import Json, JsonObject
from recollect.sandbox.limits import GuestLimits
from recollect.sandbox.runner import Sandbox
from recollect.sandbox.stubs import ToolFunction, words_of
from recollect.workflow import events
from recollect.workflow.approval_summary import approval_summary
from recollect.workflow.commands import Command
from recollect.workflow.document import InvalidWorkflowError, workflow_of
from recollect.workflow.ports import Journal
from recollect.workflow.reducer import reduced, started

pytestmark = pytest.mark.anyio
KEY = b"k" * 32


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    sandbox = Sandbox(GuestLimits(seconds=2.0, calls=50))
    yield sandbox
    sandbox.close()


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return journal_in(tmp_path)


def code(source: str, **fields: Json) -> JsonObject:
    return {"decide": "never", "parallel": 16, "tasks": [{"id": "code", "code": source, **fields}]}


@asynccontextmanager
async def running(
    journal: Journal,
    sandbox: Sandbox,
    tools: Functions,
    document: JsonObject | None = None,
    person: Person | None = None,
    key: bytes = KEY,
    *,
    capabilities: Sequence[Capability] = (),
) -> AsyncIterator[RunDriver]:
    """A run that was just started, or without a document the one of the journal."""

    async def functions(source: str) -> CodeFunctions:
        names = [name for name in tools.tools if name in words_of(source)]
        known = {name: ToolFunction(name) for name in names}
        return and_capabilities(CodeFunctions(known, frozenset(tools.tools)), capabilities, source)

    entries = journal.entries("r1") if document is None else ()
    first = events.RunResumed() if document is None else events.RunStarted(document)
    state = (
        started(first)
        if isinstance(first, events.RunStarted)
        else reduced([each.event for each in entries])
    )
    redacted = any(entry.redacted for entry in entries)
    record = RunJournal(journal, "r1", GATE, utc_now, len(entries))
    room = CodeRoom(sandbox, functions, lambda: key, GATE)
    calls = CodeTasks(tools, room, "r1", redacted=redacted)
    driver = RunDriver("r1", state, record, calls, person or Person(), redacted=redacted)
    calls.host = driver
    await driver.begin(first)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(driver.drive)
        yield driver
        await driver.stop()


def output(driver: RunDriver) -> Json:
    value = driver.state.tasks["code"].output
    return value["result"] if isinstance(value, dict) else value


async def approve(driver: RunDriver, name: str = "approve") -> None:
    assert driver.state.having("waiting_approval"), driver.state.tasks["code"].error
    [id] = driver.state.having("waiting_approval")
    arguments: JsonObject = {"task": id, "approval": driver.state.tasks[id].approval}
    assert not await driver.outcome(Command(f"c-{id}", name, arguments, "person"))  # type: ignore[arg-type]


WRITE = Function(echo, "write", "the rule: writes ask")


@requirement("sandbox:bridge")
async def test_the_calls_of_code_are_tasks_of_its_run(journal: Journal, sandbox: Sandbox) -> None:
    tools = Functions({"look": Function(echo)})
    source = "import asyncio\nx = await asyncio.gather(look(n=1), look(n=2))\nprint(x)\nlen(x) + y"
    async with running(journal, sandbox, tools, code(source, arguments={"y": 40})) as driver:
        await driver.rest()
    assert driver.state.status == "succeeded"
    value = driver.state.tasks["code"].output
    assert value == {"result": 42, "printed": "[{'got': {'n': 1}}, {'got': {'n': 2}}]\n"}
    calls = [run.task for run in driver.state.tasks.values() if run.task.origin]
    assert [(task.id, task.origin and task.origin.line) for task in calls] == [
        ("code-1", 2),
        ("code-2", 2),
    ]


@requirement("sandbox:errors")
async def test_a_failure_of_a_call_is_the_codes_own_affair(journal: Journal, sandbox: Sandbox) -> None:
    async def fails(_: JsonObject) -> Json:
        return {"error": "no such file"}

    tools = Functions({"look": Function(fails)})
    source = "try:\n    await look()\nexcept RuntimeError as error:\n    x = str(error)\nx"
    document = {**code(source), "decide": "on_error"}
    async with running(journal, sandbox, tools, document) as driver:
        await driver.rest()
    assert driver.state.status == "succeeded"
    assert output(driver) == "no such file"


@requirement("sandbox:bridge")
async def test_text_of_a_guest_is_never_read_as_a_reference(journal: Journal, sandbox: Sandbox) -> None:
    tools = Functions({"look": Function(echo)})
    texts = ["${first}", "$${first}", "${first.got} x", "a ${context.secret}"]
    source = f"[(await look(t=t))['got']['t'] for t in {texts!r}]"
    document: JsonObject = {
        **code(source),
        "context": {"secret": 1},
        "tasks": [{"id": "first", "tool": "look"}, {"id": "code", "code": source, "needs": ["first"]}],
    }
    async with running(journal, sandbox, tools, document) as driver:
        await driver.rest()
    assert output(driver) == texts


@requirement("sandbox:approval")
async def test_code_waits_for_a_person_and_goes_on(journal: Journal, sandbox: Sandbox) -> None:
    tools = Functions({"look": Function(echo), "note": WRITE})
    source = "a = await look(n=1)\nb = await note(a=a)\n[a, b]"
    async with running(journal, sandbox, tools, code(source)) as driver:
        await driver.rest()
        assert (driver.state.status, driver.state.paused_for) == ("paused", "approval")
        assert tools.called == ["code-1"]
        await approve(driver)
        await driver.rest()
    assert driver.state.status == "succeeded"
    assert tools.called == ["code-1", "code-2"]
    first = {"got": {"n": 1}}
    assert output(driver) == [first, {"got": {"a": first}}]


@requirement("sandbox:approval")
async def test_a_person_reads_which_line_makes_the_call(journal: Journal, sandbox: Sandbox) -> None:
    tools = Functions({"look": Function(echo), "note": WRITE})
    person = Person()
    async with running(
        journal, sandbox, tools, code("a = await look(n=1)\nawait note(a=a)"), person
    ) as driver:
        await driver.rest()
        [question] = person.asked
        summary = approval_summary(driver.state, question, None)
    assert "Made by line 2 of the code of code: await note(a=a)" in summary
    assert 'Before it: code-1 (look) succeeded: {"got": {"n": 1}}' in summary
    assert "the code gets a PermissionError" in summary


@requirement("sandbox:approval")
async def test_a_refusal_is_an_exception_that_code_can_catch(
    journal: Journal, sandbox: Sandbox
) -> None:
    tools = Functions({"note": WRITE})
    source = "try:\n    await note()\nexcept PermissionError as error:\n    x = str(error)\nx"
    async with running(journal, sandbox, tools, code(source)) as driver:
        await driver.rest()
        await approve(driver, "reject")
        await driver.rest()
    assert tools.called == []
    assert "not approved" in str(output(driver))


@requirement("sandbox:suspension")
async def test_suspended_code_goes_on_in_another_process(journal: Journal, sandbox: Sandbox) -> None:
    tools = Functions({"look": Function(echo), "note": WRITE})
    source = "import random\nr = random.random()\nprint(r)\na = await look(r=r)\nawait note(r=r)\nr"
    async with running(journal, sandbox, tools, code(source)) as driver:
        await driver.rest()
    assert driver.state.tasks["code"].suspended

    async with running(journal, sandbox, tools) as resumed:
        await approve(resumed)
        await resumed.rest()
    [(_, looked), (_, noted)] = tools.calls
    assert looked == noted == {"r": output(resumed)}  # nothing was computed anew
    assert happened(journal).count("task_suspended") == 1


@requirement("sandbox:suspension")
@pytest.mark.parametrize("change", ["state", "seal", "key", "other code"])
async def test_a_state_that_was_tampered_with_is_refused(
    journal: Journal, sandbox: Sandbox, tmp_path: Path, change: str
) -> None:
    tools = Functions({"note": WRITE})
    async with running(journal, sandbox, tools, code("await note()")) as driver:
        await driver.rest()
    entries = [entry.event for entry in journal.entries("r1")]
    [stored] = [event.state for event in entries if isinstance(event, events.TaskSuspended)]
    _, content, seal = stored.split(".")
    changes = {
        "state": (content, f"{content[:40]}{'A' if content[40] != 'A' else 'B'}{content[41:]}"),
        "seal": (seal, "0" * 64),
        "other code": ("await note()", "await note() "),
    }
    if change in changes:
        rewrite(tmp_path, changes[change])

    key = b"x" * 32 if change == "key" else KEY
    async with running(journal, sandbox, tools, key=key) as resumed:
        await approve(resumed)
        await resumed.rest()
    run = resumed.state.tasks["code"]
    assert run.status == "failed"
    assert "was changed" in run.error


def rewrite(folder: Path, *changes: tuple[str, str]) -> None:
    """Change the journal as somebody could who can write the project's database."""
    with closing(sqlite3.connect(folder / "state.db")) as database, database:
        for change in changes:
            database.execute("UPDATE run_event SET content = replace(content, ?, ?)", change)


@requirement("sandbox:suspension")
async def test_code_that_saw_a_secret_is_not_stored_and_replays(
    journal: Journal, sandbox: Sandbox
) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

    async def reveals(_: JsonObject) -> Json:
        return {"token": secret}

    tools = Functions({"look": Function(reveals), "note": WRITE})
    source = "t = (await look())['token']\nawait note()\nlen(t)"
    async with running(journal, sandbox, tools, code(source)) as driver:
        await driver.rest()
        assert not driver.state.tasks["code"].suspended
        await approve(driver)
        await driver.rest()
    assert output(driver) == len(secret)
    assert tools.called == ["code-1", "code-2"]
    assert all(secret not in repr(entry.event) for entry in journal.entries("r1"))


def hanging(entered: anyio.Event) -> Function:
    """A tool that says when it was called, and never answers."""

    async def hangs(_: JsonObject) -> Json:
        entered.set()
        await anyio.sleep_forever()
        return None

    return Function(hangs)


@requirement("sandbox:replay")
async def test_interrupted_code_makes_no_call_twice(journal: Journal, sandbox: Sandbox) -> None:
    """The process ends while a read is open: what was done is answered from the journal."""
    entered = anyio.Event()
    tools = Functions({"note": Function(echo, "write"), "look": hanging(entered)})
    source = "a = await note(n=1)\nb = await look(n=2)\n[a, b]"
    async with running(journal, sandbox, tools, code(source)):
        await entered.wait()
    tools.tools["look"] = Function(echo)
    async with running(journal, sandbox, tools) as resumed:
        await resumed.rest()
    assert output(resumed) == [{"got": {"n": 1}}, {"got": {"n": 2}}]
    assert tools.called == ["code-1", "code-2", "code-2"]


@requirement("sandbox:replay")
async def test_code_that_takes_another_way_makes_no_other_write(
    journal: Journal, sandbox: Sandbox
) -> None:
    entered = anyio.Event()
    tools = Functions({"note": Function(echo, "write"), "look": hanging(entered)})
    source = "import random\nawait note(n=random.random())\nawait look()"
    async with running(journal, sandbox, tools, code(source)):
        await entered.wait()
    tools.tools["look"] = Function(echo)
    async with running(journal, sandbox, tools) as resumed:
        await resumed.rest()
    assert resumed.state.tasks["code"].status == "failed"
    assert "a different path" in resumed.state.tasks["code"].error
    assert tools.called.count("code-1") == 1
    assert "code-3" not in tools.called


async def test_a_call_that_code_does_not_wait_for_asks_nobody(
    journal: Journal, sandbox: Sandbox
) -> None:
    tools = Functions({"note": WRITE})
    async with running(journal, sandbox, tools, code("later = note(n=1)\n5")) as driver:
        await driver.rest()
    assert driver.state.status == "succeeded", driver.state.tasks["code"].error
    assert tools.called == []


@requirement("sandbox:exhaustion")
async def test_calls_are_limited_over_the_whole_life_of_code(
    journal: Journal, sandbox: Sandbox
) -> None:
    tools = Functions({"look": Function(echo)})
    source = "for n in range(100): await look(n=n)"
    async with running(journal, sandbox, tools, code(source)) as driver:
        await driver.rest()
    assert len(tools.calls) == sandbox.limits.calls
    assert "more than 50 calls" in driver.state.tasks["code"].error


@requirement("sandbox:types")
@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"code": "1", "tool": "a:b"}, "not both"),
        ({"tool": "code"}, "is missing"),
        ({}, "a tool or code"),
        ({"code": "1", "approval": "always"}, "its calls are"),
        ({"code": "1", "for_each": [1]}, "loops of its own"),
        ({"code": "1", "arguments": {"not a name": 1}}, "not a valid variable name"),
    ],
)
def test_a_task_has_a_tool_or_code(fields: JsonObject, problem: str) -> None:
    with pytest.raises(InvalidWorkflowError, match=problem):
        workflow_of({"tasks": [{"id": "a", **fields}]})
