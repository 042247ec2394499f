"""A run, driven: calls in parallel, retries, timeouts, approvals, commands, and going on after an end."""

import sqlite3
from pathlib import Path

import anyio
import pytest
from tests.app.run_tools import (
    Function,
    Functions,
    Person,
    echo,
    happened,
    journal_in,
    resuming,
    running,
)
from tests.requirements import requirement

from recollect.errors import StoreError, UpstreamError
from recollect.records.json_format import Json, JsonObject
from recollect.workflow import events
from recollect.workflow.commands import Command, CommandName
from recollect.workflow.ports import Journal
from recollect.workflow.task import Task

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return journal_in(tmp_path)


def task(id: str, tool: str = "echo", **fields: object) -> JsonObject:
    return {"id": id, "tool": tool, **fields}  # type: ignore[dict-item]


def workflow(*tasks: JsonObject, **options: object) -> JsonObject:
    return {"tasks": list(tasks), **options}  # type: ignore[dict-item]


def command(name: CommandName, by: str = "agent", **arguments: object) -> Command:
    return Command(f"c-{name}", name, arguments, by)  # type: ignore[arg-type]


class Gate:
    """A tool whose calls wait until the test opens it."""

    def __init__(self) -> None:
        self.opened, self.entered = anyio.Event(), anyio.Event()
        self.most, self._inside = 0, 0

    async def __call__(self, arguments: JsonObject) -> Json:
        self._inside += 1
        self.most = max(self.most, self._inside)
        self.entered.set()
        try:
            await self.opened.wait()
        finally:
            self._inside -= 1
        return {"got": arguments}


async def test_outputs_feed_arguments_and_the_journal_adds_up_to_the_state(journal: Journal) -> None:
    tools = Functions({"echo": Function(echo)})
    document = workflow(
        task("a", arguments={"x": 1}),
        task("b", arguments={"y": "${a.got.x}"}),
        task("each", arguments={"n": "${item}"}, for_each="${c.got.list}"),
        task("c", arguments={"list": [5, 6]}),
    )
    async with running(journal, tools, document) as driver:
        await driver.rest()

    assert driver.state.status == "succeeded"
    assert driver.state.tasks["b"].output == {"got": {"y": 1}}
    assert driver.state.tasks["each"].output == [{"got": {"n": 5}}, {"got": {"n": 6}}]
    record = journal.get("r1")
    assert record is not None
    assert record.status == "succeeded"


async def test_independent_calls_run_at_the_same_time_within_the_limit(journal: Journal) -> None:
    gate = Gate()
    tools = Functions({"wait": Function(gate)})
    document = workflow(*(task(f"t{n}", "wait") for n in range(10)), parallel=4)
    async with running(journal, tools, document) as driver:
        await gate.entered.wait()
        await anyio.wait_all_tasks_blocked()
        most_before = gate.most
        gate.opened.set()
        await driver.rest()

    assert most_before == gate.most == 4
    assert driver.state.status == "succeeded"


async def test_a_tool_that_fails_is_tried_again_as_often_as_the_task_says(journal: Journal) -> None:
    tries = 0

    async def flaky(_: JsonObject) -> Json:
        nonlocal tries
        tries += 1
        return {"error": "busy"} if tries < 3 else {"ok": True}

    tools = Functions({"flaky": Function(flaky)})
    document = workflow(task("a", "flaky", retry={"attempts": 3, "wait": 0.01}))
    async with running(journal, tools, document) as driver:
        await driver.rest()

    assert (tries, driver.state.status) == (3, "succeeded")
    assert happened(journal).count("task_retried") == 2


class Away(Functions):
    """Tools of a server that can be reached after some tries."""

    tries_before = 2

    async def prepare(self, task: Task) -> Function:
        if self.tries_before:
            self.tries_before -= 1
            raise UpstreamError("s", "is starting", "call again")
        return await super().prepare(task)


@pytest.mark.parametrize("effect", ["read", "write"])
@pytest.mark.parametrize(("attempts", "status"), [(3, "succeeded"), (2, "failed")])
async def test_a_server_that_cannot_be_reached_is_tried_again_as_often_as_the_task_says(
    journal: Journal, effect: events.CallEffect, attempts: int, status: str
) -> None:
    tools = Away({"echo": Function(echo, effect)})
    document = workflow(task("a", retry={"attempts": attempts, "wait": 0.01}))
    async with running(journal, tools, document) as driver:
        await driver.rest()

    assert driver.state.tasks["a"].status == status
    assert happened(journal).count("task_retried") == attempts - 1


async def test_a_failure_says_what_the_tool_said(journal: Journal) -> None:
    async def broken(_: JsonObject) -> Json:
        return {"error": "no such file"}

    tools = Functions({"broken": Function(broken)})
    async with running(journal, tools, workflow(task("a", "broken"))) as driver:
        await driver.rest()

    assert (driver.state.paused_for, driver.state.tasks["a"].error) == ("error", "no such file")


@pytest.mark.parametrize(("effect", "status"), [("read", "failed"), ("write", "in_doubt")])
async def test_after_a_timeout_a_read_has_failed_and_a_write_is_in_doubt(
    journal: Journal, effect: events.CallEffect, status: str
) -> None:
    tools = Functions({"wait": Function(Gate(), effect)})
    async with running(journal, tools, workflow(task("a", "wait", timeout=0.05))) as driver:
        await driver.rest()

    assert driver.state.tasks["a"].status == status


@pytest.mark.parametrize(("effect", "status"), [("read", "failed"), ("write", "in_doubt")])
async def test_when_the_server_dies_a_write_is_in_doubt(
    journal: Journal, effect: events.CallEffect, status: str
) -> None:
    async def dies(_: JsonObject) -> Json:
        raise UpstreamError("s", "died", "restart it")

    tools = Functions({"dies": Function(dies, effect)})
    document = workflow(task("a", "dies", retry={"attempts": 1}))
    async with running(journal, tools, document) as driver:
        await driver.rest()

    assert driver.state.tasks["a"].status == status


async def test_arguments_that_cannot_be_had_fail_the_task_and_nothing_is_called(
    journal: Journal,
) -> None:
    tools = Functions({"echo": Function(echo)})
    document = workflow(task("a"), task("b", arguments={"x": "${a.missing}"}), task("c", "none"))
    async with running(journal, tools, document) as driver:
        await driver.rest()

    assert tools.called == ["a"]
    assert "its keys are got" in driver.state.tasks["b"].error
    assert "unknown tool 'none'" in driver.state.tasks["c"].error


@requirement("workflow:approval:human")
async def test_a_call_that_needs_approval_waits_alone_and_runs_once_a_person_says_yes(
    journal: Journal,
) -> None:
    tools = Functions(
        {"echo": Function(echo), "write": Function(echo, "write", "it may change things")}
    )
    document = workflow(task("w", "write"), task("after", needs=["w"]), task("other"))
    async with running(journal, tools, document) as driver:
        await driver.rest()
        assert (driver.state.paused_for, driver.state.paused_about) == ("approval", ("w",))
        assert tools.called == ["other"]
        approval = driver.state.tasks["w"].approval

        driver.send(command("approve", "person", task="w", approval=approval))
        await driver.rest()

    assert tools.called == ["other", "w", "after"]
    assert driver.state.status == "succeeded"


@requirement("workflow:approval:human")
@pytest.mark.parametrize(
    ("by", "approval", "said"),
    [
        ("agent", None, "only a person may"),
        ("person", "0123456789abcdef", "not for this call"),
        ("person", "", "not for this call"),
    ],
)
async def test_a_forged_approval_is_refused_and_recorded(
    journal: Journal, by: str, approval: str | None, said: str
) -> None:
    tools = Functions({"write": Function(echo, "write", "it may change things")})
    async with running(journal, tools, workflow(task("w", "write"))) as driver:
        await driver.rest()
        right = driver.state.tasks["w"].approval
        sent = right if approval is None else approval
        driver.send(command("approve", by, task="w", approval=sent))
        await driver.rest()

    refusals = [
        entry.event for entry in journal.entries("r1") if isinstance(entry.event, events.CommandRefused)
    ]
    assert [said in refusal.reason for refusal in refusals] == [True]
    assert tools.called == []


async def test_an_approval_does_not_cover_other_arguments(journal: Journal) -> None:
    tools = Functions({"write": Function(echo, "write", "it may change things")})
    document = workflow(task("w", "write", arguments={"x": 1}))
    async with running(journal, tools, document) as driver:
        await driver.rest()
        old = driver.state.tasks["w"].approval
        driver.send(command("modify_args", task="w", arguments={"x": 2}))
        await driver.rest()
        driver.send(command("approve", "person", task="w", approval=old))
        await driver.rest()

    assert tools.called == []
    assert driver.state.tasks["w"].status == "waiting_approval"


async def test_a_person_who_can_be_asked_is_asked_and_may_refuse(journal: Journal) -> None:
    person = Person(says=False)
    tools = Functions({"write": Function(echo, "write", "it may change things")})
    async with running(journal, tools, workflow(task("w", "write")), person) as driver:
        await driver.rest()

    assert [question.rule for question in person.asked] == ["it may change things"]
    assert "not approved" in driver.state.tasks["w"].error
    assert tools.called == []


async def test_aborting_cancels_reads_at_once_and_puts_writes_in_doubt(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.app.run_driver.WRITE_GRACE", 0.05)
    read, write = Gate(), Gate()
    tools = Functions(
        {"read": Function(read), "write": Function(write, "write"), "echo": Function(echo)}
    )
    document = workflow(task("r", "read"), task("w", "write"), task("later", needs=["r"]))
    async with running(journal, tools, document) as driver:
        await read.entered.wait()
        await write.entered.wait()
        driver.send(command("abort"))
        await driver.rest()

    statuses = {id: run.status for id, run in driver.state.tasks.items()}
    assert statuses == {"r": "cancelled", "w": "in_doubt", "later": "cancelled"}
    assert driver.state.status == "aborted"


@requirement("workflow:journal:resume")
@requirement("workflow:commands:queue")
@pytest.mark.parametrize("name", ["pause", "skip", "abort", "answer", "modify_args", "approve"])
@pytest.mark.parametrize("steps", range(4))
async def test_a_command_during_a_shutdown_is_applied_once_or_refused_with_a_reason(
    journal: Journal, name: CommandName, steps: int
) -> None:
    gate = Gate()
    tools = Functions({"wait": Function(gate), "echo": Function(echo)})
    sent = command(name, task="b", arguments={}, text="hello")
    refusals: list[str] = []
    async with running(journal, tools, workflow(task("a", "wait"), task("b", needs=["a"]))) as driver:
        await gate.entered.wait()

        async def give() -> None:
            refusals.append(await driver.outcome(sent))

        with anyio.fail_after(20):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(driver.stop)
                for _ in range(steps):
                    await anyio.lowlevel.checkpoint()
                tasks.start_soon(give)

    settled = [
        events.event_name(entry.event)
        for entry in journal.entries("r1")
        if isinstance(entry.event, events.CommandApplied | events.CommandRefused)
    ]
    [refusal] = refusals
    assert settled in ([], ["command_refused"]) if refusal else settled == ["command_applied"]


async def test_a_run_that_was_stopped_goes_on_where_it_was(journal: Journal) -> None:
    gate = Gate()
    tools = Functions({"echo": Function(echo), "wait": Function(gate)})
    document = workflow(task("a"), task("b", "wait", needs=["a"]), task("c", needs=["b"]))
    async with running(journal, tools, document):
        await gate.entered.wait()

    gate.opened.set()
    async with resuming(journal, tools) as driver:
        await driver.rest()

    assert tools.called == ["a", "b", "b", "c"]
    assert driver.state.status == "succeeded"


@requirement("workflow:journal:resume")
@pytest.mark.parametrize("cut", range(1, 15))
async def test_from_every_event_on_a_run_resumes_and_repeats_no_write_silently(
    tmp_path: Path, cut: int
) -> None:
    tools = Functions({"echo": Function(echo), "write": Function(echo, "write")})
    document = workflow(
        task("a"), task("w", "write", needs=["a"]), task("v", "write"), task("z", needs=["w", "v"])
    )
    for name in ("complete", "cut"):
        (tmp_path / name).mkdir()
    complete = journal_in(tmp_path / "complete")
    async with running(complete, tools, document) as driver:
        await driver.rest()
    entries = complete.entries("r1")[:cut]
    journal = journal_in(tmp_path / "cut")
    journal.begin("r1", "", entries[0])
    journal.append("r1", entries[1:], "running")
    begun = {e.event.task for e in entries if isinstance(e.event, events.TaskStarted)}
    done = {e.event.task for e in entries if isinstance(e.event, events.TaskSucceeded)}
    tools.calls.clear()

    async with resuming(journal, tools) as driver:
        await driver.rest()
        doubtful = set(driver.state.having("in_doubt"))
        for id in doubtful:
            driver.send(Command(f"yes-{id}", "approve", {"task": id}, "person"))
        await driver.rest()

    assert doubtful == (begun - done) & {"w", "v"}
    assert not done & set(tools.called)
    assert driver.state.status == "succeeded"
    assert len(tools.called) == len(set(tools.called))


async def test_a_secret_is_not_in_the_journal_and_a_resumed_run_asks_for_it_again(
    journal: Journal, tmp_path: Path
) -> None:
    secret = "ghp_" + "a1B2" * 9
    tools = Functions({"echo": Function(echo), "wait": Function(Gate())})
    document = workflow(task("a", "wait"), task("b", arguments={"token": secret}, needs=["a"]))
    async with running(journal, tools, document):
        pass
    with sqlite3.connect(tmp_path / "state.db") as db:
        assert secret not in "\n".join(db.iterdump())

    tools.tools["wait"] = Function(echo)
    async with resuming(journal, tools) as driver:
        await driver.rest()
        assert (driver.state.paused_for, driver.state.paused_about) == ("missing_value", ("b",))
        driver.send(command("modify_args", task="b", arguments={"token": secret}))
        await driver.rest()

    assert tools.calls[-1] == ("b", {"token": secret})
    assert driver.state.status == "succeeded"


async def test_a_journal_that_cannot_be_written_stops_the_run_before_the_next_write(
    journal: Journal, tmp_path: Path
) -> None:
    gate = Gate()
    tools = Functions({"wait": Function(gate), "write": Function(echo, "write")})
    document = workflow(task("a", "wait"), task("w", "write", needs=["a"]))
    with pytest.RaisesGroup(StoreError, flatten_subgroups=True):
        async with running(journal, tools, document) as driver:
            await gate.entered.wait()
            with sqlite3.connect(tmp_path / "state.db") as db:
                db.execute("DROP TABLE run_event")
            gate.opened.set()
            with pytest.raises(StoreError):
                await driver.rest()

    assert tools.called == ["a"]
