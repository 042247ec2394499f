"""Telling a run what to do: the same commands that an agent has over MCP, and those for people alone."""

import secrets
import time
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import print_json, safe, say
from recollect.cli.run import RunArgument, app, json_or_text, opened_runs, read_document
from recollect.errors import RefusedError
from recollect.views.runs import CommandOutput
from recollect.workflow.events import CommandApplied, CommandRefused

if TYPE_CHECKING:
    from recollect.app.run_store import RunStore
    from recollect.workflow.commands import CommandName

_DOOR = "command line"
_PATIENCE = 3.0  # seconds that a command waits to be applied
TaskArgument = Annotated[str, typer.Argument(metavar="TASK", help="The task's id.")]


@command(app, "approve", "recollect run approve run-1a2b3c4d write_file", output=CommandOutput)
def approve(
    context: typer.Context, run: RunArgument, task: TaskArgument, as_json: JsonFlag = False
) -> None:
    """Approve the call of a task, or repeat a write in doubt.

    Only a person may; the call is approved exactly as it is.
    """
    _decide(context, "approve", run, task, as_json)


@command(app, "reject", "recollect run reject run-1a2b3c4d write_file", output=CommandOutput)
def reject(
    context: typer.Context, run: RunArgument, task: TaskArgument, as_json: JsonFlag = False
) -> None:
    """Refuse the call of a task, or give up a write in doubt. Only a person may."""
    _decide(context, "reject", run, task, as_json)


@command(app, "abort", "recollect run abort run-1a2b3c4d", output=CommandOutput)
def abort(context: typer.Context, run: RunArgument, as_json: JsonFlag = False) -> None:
    """End a run.

    Reads are cancelled; a write in progress gets a moment to finish.
    """
    _tell(context, run, "abort", {}, as_json=as_json)


@command(app, "pause", "recollect run pause run-1a2b3c4d", output=CommandOutput)
def pause(context: typer.Context, run: RunArgument, as_json: JsonFlag = False) -> None:
    """Stop starting tasks."""
    _tell(context, run, "pause", {}, as_json=as_json)


@command(app, "continue", "recollect run continue run-1a2b3c4d", output=CommandOutput)
def continue_run(context: typer.Context, run: RunArgument, as_json: JsonFlag = False) -> None:
    """Start tasks again, and accept the failures so far."""
    _tell(context, run, "continue", {}, as_json=as_json)


@command(app, "skip", "recollect run skip run-1a2b3c4d fetch", output=CommandOutput)
def skip(
    context: typer.Context, run: RunArgument, task: TaskArgument, as_json: JsonFlag = False
) -> None:
    """Skip a task and the tasks that need it."""
    _tell(context, run, "skip", {"task": task}, as_json=as_json)


@command(
    app,
    "modify",
    """recollect run modify run-1a2b3c4d fetch '{"url": "https://example.org"}'""",
    output=CommandOutput,
)
def modify(
    context: typer.Context,
    run: RunArgument,
    task: TaskArgument,
    arguments: Annotated[str, typer.Argument(metavar="JSON", help="All arguments of the task.")],
    as_json: JsonFlag = False,
) -> None:
    """Change the arguments of a task, and try it with them."""
    _tell(context, run, "modify_args", {"task": task, "arguments": _object(arguments)}, as_json=as_json)


@command(app, "inject", "recollect run inject run-1a2b3c4d more.yaml", output=CommandOutput)
def inject(
    context: typer.Context,
    run: RunArgument,
    file: Annotated[str, typer.Argument(metavar="FILE", help="A workflow whose tasks are added.")],
    as_json: JsonFlag = False,
) -> None:
    """Add tasks to a run."""
    document = read_document(file)
    tasks = document.get("tasks") if isinstance(document, dict) else document
    _tell(context, run, "inject_tasks", {"tasks": tasks}, as_json=as_json)


@command(app, "replan", "recollect run replan run-1a2b3c4d", output=CommandOutput)
def replan(
    context: typer.Context,
    run: RunArgument,
    intent: Annotated[str, typer.Option(metavar="TEXT", help="The task. [as before]")] = "",
    as_json: JsonFlag = False,
) -> None:
    """Plan what failed with other tools.

    Also what depended on it; finished tasks stay.
    """
    _tell(context, run, "replan", {"intent": intent} if intent else {}, as_json=as_json)


@command(
    app,
    "answer",
    "recollect run answer run-1a2b3c4d --text 'use the staging branch'",
    "recollect run answer run-1a2b3c4d --set branch=staging",
    "recollect run answer run-1a2b3c4d --task deploy --output '{}'",
    output=CommandOutput,
)
def answer(
    context: typer.Context,
    run: RunArgument,
    text: Annotated[str, typer.Option(help="Your answer to the run.")] = "",
    values: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=JSON", help="A value of the context.")
    ] = None,
    task: Annotated[str, typer.Option(help="A write in doubt that happened.")] = "",
    output: Annotated[str, typer.Option(metavar="JSON", help="Its output.")] = "null",
    as_json: JsonFlag = False,
) -> None:
    """Answer a run, or confirm that a write in doubt happened.

    Can also set values in the run's context.
    """
    from recollect.app.person import require_person

    arguments: dict[str, Any] = {"text": text} if text else {}
    if values:
        pairs = [value.partition("=") for value in values]
        arguments["context"] = {name: json_or_text(value) for name, _, value in pairs}
    if task:
        require_person("saying whether a write happened")
        arguments = {"task": task, "output": json_or_text(output)}
    _tell(context, run, "answer", arguments, as_json=as_json, by_person=bool(task))


@command(
    app,
    "grant",
    "recollect run grant files:write_file 'path=notes/*' 'content=*' --uses 5 --minutes 30",
    output=CommandOutput,
)
def grant(
    context: typer.Context,
    tool: Annotated[str, typer.Argument(metavar="SERVER:TOOL", help="The tool.")],
    arguments: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME=PATTERN", help="A pattern for each argument; * matches anything."),
    ] = None,
    uses: Annotated[int, typer.Option(help="How many calls it covers.")] = 1,
    minutes: Annotated[int, typer.Option(help="How long it is valid.")] = 60,
    as_json: JsonFlag = False,
) -> None:
    """Approve calls of a tool in advance, within limits. Only a person may."""
    from recollect.app.person import require_person

    require_person("run grant")
    _, store, _ = opened_runs(context)
    pairs = [argument.partition("=") for argument in arguments or []]
    if wrong := [name for name, sign, _ in pairs if not sign]:
        raise RefusedError(f"{wrong[0]!r} must be written as NAME=PATTERN.")
    patterns = {name: pattern for name, _, pattern in pairs}
    made = store.grant(tool, patterns, uses, minutes, f"person, {_DOOR}")
    _report({"id": made.id, "status": "applied", "reason": ""}, as_json)


def _decide(
    context: typer.Context, name: Literal["approve", "reject"], run: str, task: str, as_json: bool
) -> None:
    """A person's decision about the entry of the review queue that the task waits with now.

    A task that waits for nobody gets the command all the same: its run says why it is refused.
    """
    from recollect.app.person import require_person
    from recollect.app.review.approvals import ApprovalReview
    from recollect.app.review.queue import ReviewQueue
    from recollect.app.review.source import ReviewDecision

    require_person(f"run {name}")
    gateway, store, _ = opened_runs(context)
    record = store.record(run)
    approvals = ApprovalReview(lambda: store, gateway, door=_DOOR)
    item = approvals.of_task(record.id, task)
    if item is None:
        arguments = {"task": task, "approval": ""}
        _tell(context, run, name, arguments, as_json=as_json, by_person=True)
        return
    decision = ReviewDecision("keep" if name == "approve" else "drop")
    sent = ReviewQueue((approvals,)).act(item.kind, item.id, decision)
    _report(_outcome(store, record.id, sent.command, record.events), as_json, record.id)


def _tell(
    context: typer.Context,
    run: str,
    name: "CommandName",
    arguments: dict[str, Any],
    *,
    as_json: bool,
    by_person: bool = False,
) -> None:
    """Leave a command for the process that has the run, and say what became of it."""
    from recollect.workflow.commands import Command

    _, store, _ = opened_runs(context)
    record = store.record(run)
    sent = Command(secrets.token_hex(8), name, arguments, "person" if by_person else "agent", _DOOR)
    before = record.events
    store.journal.send(record.id, sent, store.now())
    outcome = _outcome(store, record.id, sent.id, before)
    _report(outcome, as_json, record.id)


def _outcome(store: "RunStore", run: str, command_id: str, after: int) -> CommandOutput:
    until = time.monotonic() + _PATIENCE
    while True:
        for entry in store.journal.entries(run, after):
            after = entry.number
            match entry.event:
                case CommandApplied(id=id) if id == command_id:
                    return {"id": id, "status": "applied", "reason": ""}
                case CommandRefused(id=id, reason=reason) if id == command_id:
                    return {"id": id, "status": "refused", "reason": reason}
        if time.monotonic() > until or not _is_live(store, run):
            return {"id": command_id, "status": "waiting", "reason": "no process is running it now"}
        time.sleep(0.05)


def _is_live(store: "RunStore", run: str) -> bool:
    from recollect.errors import LockedError

    try:
        with store.journal.lease(run):
            return False
    except LockedError:
        return True


def _report(outcome: CommandOutput, as_json: bool, run: str = "") -> None:
    if as_json:
        print_json(outcome)
    elif outcome["status"] == "waiting":
        say(f"It is applied when the run continues: `recollect run resume {safe(run)}`.")
    elif outcome["status"] == "applied":
        say(f"Done ({safe(outcome['id'])}).")
    if outcome["status"] == "refused":
        raise RefusedError(outcome["reason"])


def _object(text: str) -> dict[str, Any]:
    value = json_or_text(text)
    if not isinstance(value, dict):
        raise RefusedError("the arguments must be a JSON object.")
    return value
