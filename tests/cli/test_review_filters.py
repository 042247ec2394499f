"""`gateway review` and `run approve` are filters of the queue: what one decides, the other no longer asks."""

from typing import Any

import pytest
from tests.cli.running import Cli
from tests.cli.test_gateway_review import NEW, OLD, Server
from tests.cli.test_run import paused, talking
from tests.requirements import requirement

from recollect.app import person
from recollect.app.gateway import open_gateway
from recollect.app.person import ParentProcess
from recollect.app.run_store import open_run_store
from recollect.cli.exits import Exit
from recollect.workflow import events
from recollect.workflow.events import JournalEntry

__all__ = ["talking"]  # a fixture


@pytest.fixture
def server(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Server:
    """A server with a tool that changed, at a terminal that no agent started."""
    monkeypatch.setattr(person, "_above", lambda _: iter(()))
    server = Server(cli)
    server.add("files")
    server.lists(OLD)
    server.lists(NEW)
    return server


def waiting(cli: Cli, kind: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = cli.ok("review", "--kind", kind, "--json").json()["items"]
    return items


@requirement("cli:review:filters")
def test_a_changed_tool_that_the_queue_accepts_is_accepted_in_gateway_review(server: Server) -> None:
    [item] = waiting(server.cli, "tool")
    assert (item["title"], server.states()) == ("files:read", {"files:read": "changed"})

    server.cli.ok("review", "keep", item["key"], "--yes")

    assert waiting(server.cli, "tool") == []
    assert server.states() == {}


@requirement("cli:review:filters")
def test_a_changed_tool_that_gateway_review_rejects_waits_no_more_and_can_be_accepted_later(
    server: Server,
) -> None:
    server.cli.ok("gateway", "review", "files:read", "--reject")

    assert waiting(server.cli, "tool") == []
    assert server.states() == {"files:read": "rejected"}

    later = server.cli.ok("gateway", "review", "files:read", "--accept", "--json").json()
    assert later["accepted"] == ["files:read"]
    assert server.states() == {}


@requirement("cli:review:filters")
@pytest.mark.parametrize("decision", ["--accept", "--reject"])
def test_an_agent_s_shell_decides_about_no_tool(
    server: Server, monkeypatch: pytest.MonkeyPatch, decision: str
) -> None:
    above = [ParentProcess(40, ("node", "/usr/local/bin/claude", "-p"))]
    monkeypatch.setattr(person, "_above", lambda _: iter(above))

    refused = server.cli("gateway", "review", "files:read", decision)

    assert refused.exit_code == Exit.INVALID
    assert "is reserved for a person" in refused.err
    assert server.states() == {"files:read": "changed"}
    assert waiting(server.cli, "tool")[0]["acts"] == {}


@requirement("cli:review:filters")
@pytest.mark.parametrize(("command", "status"), [("approve", "succeeded"), ("reject", "failed")])
def test_a_call_that_run_approve_or_reject_decided_about_waits_no_more(
    talking: Cli, command: str, status: str
) -> None:
    run = paused(talking)["run"]
    [item] = waiting(talking, "approval")
    assert item["title"] == f"talk:delete_file in {run}"

    sent = talking.ok("run", command, run, "delete", "--json").json()
    again = talking.ok("run", command, run, "delete", "--json").json()

    assert (sent["status"], again["status"]) == ("waiting", "waiting")
    assert waiting(talking, "approval") == []
    tasks = talking("run", "resume", run, "--json").json()["tasks"]
    assert tasks[0]["status"] == status


@requirement("cli:review:filters")
def test_a_call_that_the_queue_approves_is_called_when_its_run_goes_on(talking: Cli) -> None:
    run = paused(talking)["run"]
    [item] = waiting(talking, "approval")

    talking.ok("review", "keep", item["key"], "--yes")

    assert waiting(talking, "approval") == []
    assert talking.ok("run", "resume", run, "--json").json()["status"] == "succeeded"


@requirement("cli:review:filters")
@pytest.mark.parametrize("is_queue", [True, False])
def test_a_write_in_doubt_waits_in_the_queue_and_is_given_up_by_either(
    talking: Cli, monkeypatch: pytest.MonkeyPatch, is_queue: bool
) -> None:
    run = paused(talking)["run"]
    for name, value in talking.env.items():
        monkeypatch.setenv(name, value)
    leave_in_doubt(talking, run)
    [item] = waiting(talking, "approval")
    assert "its outcome is unknown" in item["reason"]
    assert item["acts"] == {"keep": "repeat the call", "drop": "give up the call"}

    if is_queue:
        talking.ok("review", "drop", item["key"], "--yes")
    else:
        talking.ok("run", "reject", run, "delete")

    assert waiting(talking, "approval") == []
    task = talking("run", "resume", run, "--json").json()["tasks"][0]
    assert (task["status"], "given up by person" in task["error"]) == ("failed", True)


def leave_in_doubt(cli: Cli, run: str) -> None:
    """The journal of a process that ended in the middle of a write."""
    store = open_run_store(open_gateway(), cli.folder)
    approval = store.state(run).tasks["delete"].approval
    happened: list[events.RunEvent] = [
        events.ApprovalDecided("delete", approval, True, "person, test"),
        events.RunContinued(accepts=False),
        events.TaskStarted("delete", 1, "write", {"path": "x"}),
        events.TaskInDoubt("delete", "its process ended"),
        events.RunPaused("in_doubt", ("delete",)),
    ]
    first = len(store.entries(run)) + 1
    at = store.entries(run)[-1].at
    entries = [JournalEntry(number, at, event) for number, event in enumerate(happened, first)]
    store.journal.append(run, entries, "paused")
