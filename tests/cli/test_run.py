"""`recollect run`: workflows over a real server, from the command line."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import Cli
from tests.cli.shapes import mismatches
from tests.requirements import requirement
from tests.upstreams.servers import CALCULATOR, light_entry

from recollect.app import person
from recollect.app.person import ParentProcess, agent_program
from recollect.cli import main
from recollect.cli.command import outputs
from recollect.cli.exits import Exit
from recollect.views.code import CodeOutput
from recollect.views.runs import (
    CommandOutput,
    RunDiffOutput,
    RunExport,
    RunForkOutput,
    RunOutput,
    RunsOutput,
)
from recollect.workflow.commands import COMMANDS

ADD = {"id": "sum", "tool": "talk:add", "arguments": {"a": 2, "b": 3}}
DELETE = {"id": "delete", "tool": "talk:delete_file", "arguments": {"path": "x"}}


@pytest.fixture
def talking(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """A project with a server, at a terminal that no agent started."""
    monkeypatch.setattr(person, "_above", lambda _: iter(()))
    server = light_entry(CALCULATOR)
    cli.ok("gateway", "add", "talk", "--", server["command"], *server["args"])
    cli.ok("gateway", "test", "talk")
    return cli


def write(folder: Path, *tasks: object, **options: object) -> str:
    file = folder / "workflow.json"
    file.write_text(json.dumps({"tasks": tasks, **options}), encoding="utf-8")
    return str(file)


def paused(cli: Cli) -> dict[str, Any]:
    """A run that waits for an approval."""
    ran = cli("run", "start", write(cli.folder, DELETE, ADD, intent="tidy"), "--json")
    assert ran.exit_code == Exit.FAILED
    output: dict[str, Any] = ran.json()
    assert mismatches(output, RunOutput) == []
    return output


def test_a_workflow_in_yaml_runs_and_is_shown_and_listed(talking: Cli) -> None:
    file = talking.folder / "sum.yaml"
    file.write_text(
        "intent: add\ntasks:\n- id: a\n  tool: talk:add\n  arguments: {a: 1, b: 2}\n"
        "- id: b\n  tool: talk:add\n  arguments: {a: '${a.result}', b: 4}\n",
        encoding="utf-8",
    )
    ran = talking.ok("run", "start", str(file), "--json").json()
    shown = talking.ok("run", "show", ran["run"][:8]).out
    listed = talking.ok("run", "list", "--json").json()

    assert ran["tasks"][1]["output"] == {"result": 7}
    assert f"{ran['run']}: succeeded, 2 of 2 tasks ended." in shown
    assert mismatches(listed, RunsOutput) == []
    assert [row["intent"] for row in listed["runs"]] == ["add"]


@requirement("workflow:approval:human")
def test_a_person_approves_and_the_run_goes_on(talking: Cli) -> None:
    run = paused(talking)["run"]
    shown = talking.ok("run", "show", run).out
    assert "Call delete_file of the server talk? It may change things." in shown
    assert 'Arguments: {"path": "x"}' in shown

    told = talking.ok("run", "approve", run, "delete", "--json").json()
    resumed = talking.ok("run", "resume", run, "--json").json()

    assert mismatches(told, CommandOutput) == []
    assert told["status"] == "waiting"
    assert {task["id"]: task["status"] for task in resumed["tasks"]} == {
        "delete": "succeeded",
        "sum": "succeeded",
    }


def test_what_a_person_rejects_fails_and_what_is_skipped_does_not_run(talking: Cli) -> None:
    run = paused(talking)["run"]

    talking.ok("run", "reject", run, "delete")
    rejected = talking("run", "resume", run, "--json").json()

    assert rejected["paused"]["reason"] == "error"
    assert "not approved" in rejected["tasks"][0]["error"]
    talking.ok("run", "skip", run, "delete")
    assert talking.ok("run", "resume", run, "--json").json()["status"] == "succeeded"


def test_a_grant_covers_a_call_beforehand(talking: Cli) -> None:
    talking.ok("run", "grant", "talk:delete_file", "path=x", "--uses", "1")

    talking.ok("run", "start", write(talking.folder, DELETE))
    again = talking("run", "start", write(talking.folder, DELETE))

    assert again.exit_code == Exit.FAILED


@requirement("workflow:approval:read-only")
def test_a_person_agrees_beforehand_to_calls_that_only_read_and_writes_still_ask(talking: Cli) -> None:
    talking.ok("gateway", "policy", "ask", "talk:*")
    file = write(talking.folder, ADD, DELETE)

    asked = talking("run", "start", file, "--json").json()
    agreed = talking("run", "start", file, "--yes-read-only", "--json").json()

    assert [task["status"] for task in asked["tasks"]] == ["waiting_approval"] * 2
    assert [task["status"] for task in agreed["tasks"]] == ["succeeded", "waiting_approval"]
    events = talking.ok("run", "export", agreed["run"]).json()["events"]
    decided = [event["fields"] for event in events if event["name"] == "approval_decided"]
    assert [(each["task"], each["by"]) for each in decided] == [("sum", "person, --yes-read-only")]


@requirement("workflow:approval:read-only")
def test_a_task_that_always_asks_is_not_agreed_to_beforehand(talking: Cli) -> None:
    file = write(talking.folder, {**ADD, "approval": "always"})

    ran = talking("run", "start", file, "--yes-read-only", "--json").json()

    assert [task["status"] for task in ran["tasks"]] == ["waiting_approval"]


def test_a_run_that_is_aborted_cannot_be_resumed(talking: Cli) -> None:
    run = paused(talking)["run"]
    talking.ok("run", "abort", run)

    aborted = talking("run", "resume", run, "--json")
    again = talking("run", "resume", run)

    assert aborted.json()["status"] == "aborted"
    assert "has ended (aborted)" in again.err


@requirement("workflow:approval:human")
@pytest.mark.parametrize(
    "command",
    [
        ("approve", "R", "delete"),
        ("reject", "R", "delete"),
        ("grant", "a:b"),
        ("start", "workflow.json", "--yes-read-only"),
    ],
)
def test_an_agent_s_shell_may_not_decide(
    talking: Cli, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    run = paused(talking)["run"]
    above = [ParentProcess(41, ("bash",)), ParentProcess(40, ("node", "/usr/local/bin/claude", "-p"))]
    monkeypatch.setattr(person, "_above", lambda _: iter(above))

    refused = talking("run", *(run if word == "R" else word for word in command))

    assert refused.exit_code == Exit.INVALID
    assert "is reserved for a person, and claude (process 40) started this command" in refused.err


@pytest.mark.parametrize(
    ("line", "program"),
    [
        ("claude", "claude"),
        ("/usr/bin/node /opt/lib/gemini.js chat", "gemini"),
        ("codex exec", "codex"),
        ("cursor-agent", "cursor-agent"),
        ("opencode", "opencode"),
        ("python3 /venv/bin/recollect serve", "recollect serve"),
        ("vim claude-notes.txt", None),
        ("python3 /venv/bin/recollect run approve r t", None),
        ("bash", None),
    ],
)
def test_harnesses_are_known_by_their_programs(line: str, program: str | None) -> None:
    assert agent_program(tuple(line.split())) == program


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "neither JSON nor YAML"),
        ("[]", "it must be an object"),
        ('{"tasks": [{"id": "a", "tool": "talk:nothing"}]}', "unknown tool 'talk:nothing'"),
    ],
)
def test_a_file_that_is_no_workflow_is_refused_with_the_reason(
    talking: Cli, text: str, said: str
) -> None:
    file = talking.folder / "w.json"
    file.write_text(text, encoding="utf-8")

    refused = talking("run", "start", str(file))

    assert refused.exit_code == Exit.INVALID
    assert said in refused.err


def test_a_run_that_does_not_exist_is_named(talking: Cli) -> None:
    assert (
        "there is no run 'run-0'; `recollect run list` shows them."
        in talking("run", "show", "run-0").err
    )


def test_a_request_is_planned_and_runs_once_nothing_is_missing(talking: Cli) -> None:
    lacking = talking("run", "start", "--intent", "add two whole numbers")
    ran = talking.ok(
        "run",
        "start",
        "--intent",
        "add two whole numbers",
        "--value",
        "add.a=2",
        "--value",
        "add.b=3",
        "--json",
    )

    assert "the plan is missing add.a, add.b; give each with --value add.a=JSON." in lacking.err
    assert ran.json()["tasks"][0]["output"] == {"result": 5}


@pytest.mark.parametrize(
    "arguments", [(), ("w.json", "--intent", "x"), ("--intent", "add", "--value", "x")]
)
def test_a_start_without_one_workflow_is_refused(talking: Cli, arguments: tuple[str, ...]) -> None:
    assert talking("run", "start", *arguments).exit_code == Exit.INVALID


def finished(cli: Cli, *tasks: object) -> str:
    run: str = cli.ok("run", "start", write(cli.folder, *tasks), "--json").json()["run"]
    return run


@requirement("workflow:fork:rehearse")
def test_a_fork_uses_what_is_done_and_does_anew_what_changes(talking: Cli) -> None:
    other = {"id": "other", "tool": "talk:add", "arguments": {"a": 1, "b": 1}}
    twice = {
        "id": "twice",
        "tool": "talk:add",
        "arguments": {"a": "${sum.result}", "b": "${sum.result}"},
    }
    run = finished(talking, ADD, twice, other)

    made = talking.ok("run", "fork", run, "--set", "sum.a=10", "--json").json()
    resumed = talking.ok("run", "resume", made["run"], "--json").json()
    compared = talking.ok("run", "diff", run, made["run"], "--json").json()

    assert mismatches(made, RunForkOutput) == []
    assert made["reused"] == ["other"]
    assert {task["id"]: task.get("output") for task in resumed["tasks"]}["twice"] == {"result": 26}
    assert {task["id"]: task["attempts"] for task in resumed["tasks"]} == {
        "sum": 1,
        "twice": 1,
        "other": 0,
    }
    assert mismatches(compared, RunDiffOutput) == []
    assert {row["task"] for row in compared["differences"]} == {"sum", "twice"}


@requirement("workflow:fork:rehearse")
def test_a_fork_repeats_no_write_and_inherits_no_approval(talking: Cli) -> None:
    talking.ok("run", "grant", "talk:delete_file", "path=x")
    run = finished(talking, DELETE)

    same = talking.ok("run", "fork", run, "--json").json()
    other = talking.ok("run", "fork", run, "--set", "delete.path=y", "--json").json()
    done = talking.ok("run", "resume", same["run"], "--json").json()
    asked = talking("run", "resume", other["run"], "--json").json()

    assert (same["reused"], same["asks"]) == (["delete"], [])
    assert done["tasks"][0]["attempts"] == 0
    assert other["asks"] == ["delete"]
    assert asked["paused"]["reason"] == "approval"


@requirement("workflow:fork:rehearse")
def test_a_rehearsal_answers_from_records_and_schemas_and_calls_nothing(talking: Cli) -> None:
    finished(talking, ADD)
    receipts = talking.ok("gateway", "receipts", "--json").json()
    other = {"id": "other", "tool": "talk:add", "arguments": {"a": 7, "b": 7}}

    rehearsed = talking.ok(
        "run", "start", write(talking.folder, ADD, other, DELETE), "--rehearse", "--json"
    ).json()

    assert [task["source"] for task in rehearsed["tasks"]] == ["recording", "schema", "schema"]
    assert rehearsed["tasks"][0]["output"] == {"result": 5}
    assert talking.ok("gateway", "receipts", "--json").json() == receipts


def test_a_run_is_exported_watched_and_drawn(talking: Cli, tmp_path: Path) -> None:
    run = finished(talking, ADD)

    exported = talking.ok("run", "export", run).json()
    watched = talking.ok("run", "watch", run).out
    talking.ok("run", "show", run, "--svg", str(tmp_path / "run.svg"))

    assert mismatches(exported, RunExport) == []
    assert [event["name"] for event in exported["events"]] == [
        "run_started",
        "task_ready",
        "task_started",
        "task_succeeded",
        "run_finished",
    ]
    assert watched.count("\n") == 5
    assert "succeeded" in (tmp_path / "run.svg").read_text("utf-8")


@requirement("workflow:commands:closed")
def test_every_command_of_a_run_is_a_command_of_ours() -> None:
    spelled = {"modify_args": "modify", "inject_tasks": "inject"}
    offered = {name.removeprefix("run ") for name in outputs(main.app) if name.startswith("run ")}

    assert {spelled.get(name, name) for name in COMMANDS} <= offered


def test_tasks_are_added_and_the_context_is_set_before_a_run_goes_on(talking: Cli) -> None:
    wants = {"id": "sum", "tool": "talk:add", "arguments": {"a": "${context.n}", "b": 1}}
    more = {"id": "more", "tool": "talk:add", "arguments": {"a": "${sum.result}", "b": 1}}
    started = talking(
        "run", "start", write(talking.folder, wants, context={"n": "two"}), "--json"
    ).json()
    run = started["run"]
    assert "'a' must be integer, not 'two'" in started["tasks"][0]["error"]

    talking.ok("run", "inject", run, write(talking.folder, more))
    talking.ok("run", "answer", run, "--text", "two is 2", "--set", "n=2")
    talking.ok("run", "modify", run, "sum", json.dumps(wants["arguments"]))
    done = talking.ok("run", "resume", run, "--json").json()

    assert [task.get("output") for task in done["tasks"]][-1] == {"result": 4}


@requirement("workflow:memory:runbook")
def test_a_run_that_was_made_to_work_becomes_a_draft_of_a_runbook(talking: Cli) -> None:
    wrong = {"id": "sum", "tool": "talk:add", "arguments": {"a": "${context.n}", "b": 1}}
    file = write(talking.folder, wrong, context={"n": "two"}, intent="add one")
    run = talking("run", "start", file, "--json").json()["run"]
    talking.ok("run", "modify", run, "sum", '{"a": 2, "b": 1}')
    talking.ok("run", "resume", run)

    drafts = talking.ok("session", "drafts", "--json").json()["drafts"]

    assert [draft["memory"]["title"] for draft in drafts] == ["Fix: add one"]


@requirement("sandbox:code-tool")
def test_code_runs_waits_for_a_person_and_goes_on(talking: Cli) -> None:
    file = talking.folder / "tidy.py"
    file.write_text(
        "n = (await talk_add(a=more, b=2))['result']\nawait talk_delete_file(path=f'x{n}')\n"
    )

    ran = talking("run", "code", str(file), "--variable", "more=1", "--json")
    output = ran.json()
    talking.ok("run", "approve", output["run"], "code-2")
    resumed = talking.ok("run", "resume", output["run"], "--json").json()

    assert ran.exit_code == Exit.FAILED
    assert mismatches(output, CodeOutput) == []
    assert output["paused"]["reason"] == "approval"
    [code] = [row for row in resumed["tasks"] if row["id"] == "code"]
    assert code["output"]["result"] == {"result": "deleted x3"}


def test_code_that_fails_says_its_line(talking: Cli) -> None:
    file = talking.folder / "wrong.py"
    file.write_text("x = 1\n1 / 0\n")
    assert "line 2" in talking("run", "code", str(file)).out
