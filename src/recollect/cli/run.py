"""`run`: start a workflow, watch it, and go on with it."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.command import command
from recollect.cli.context import JsonFlag, Start
from recollect.cli.exits import Exit
from recollect.cli.output import counted, draw, print_json, safe, say, warn
from recollect.cli.run_picture import picture
from recollect.cli.text_input import read_text
from recollect.errors import InvalidError, RefusedError
from recollect.views.runs import RunOutput, RunsOutput, run_output, run_row

if TYPE_CHECKING:
    from recollect.app.gateway import Gateway
    from recollect.app.run_store import RunStore
    from recollect.app.runs import LiveRun, Runs
    from recollect.records.json_format import Json
    from recollect.workflow.calling import ApprovalQuestion
    from recollect.workflow.run_state import RunState

app = typer.Typer(
    name="run",
    help="Run workflows: tool calls as a graph, parallel and resumable.",
    no_args_is_help=True,
)
_LISTED = 20
_MOST_CHARACTERS = 4_000_000  # of a workflow
RunArgument = Annotated[str, typer.Argument(metavar="RUN", help="The run's id, or its beginning.")]


@command(
    app,
    "start",
    "recollect run start tidy.json",
    "recollect run start tidy.yaml --json",
    "recollect run start - < tidy.json",
    "recollect run start --intent 'what time is it in UTC'",
    "recollect run start tidy.json --yes-read-only",
    output=RunOutput,
)
def start(
    context: typer.Context,
    file: Annotated[
        str | None,
        typer.Argument(metavar="FILE", help="The workflow as JSON or YAML; - is standard input."),
    ] = None,
    intent: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Plan this task and run it, if nothing is missing."),
    ] = None,
    value: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TASK.NAME=JSON", help="An argument that the plan is missing; repeatable."
        ),
    ] = None,
    rehearse: Annotated[
        bool, typer.Option("--rehearse", help="Call nothing; use recorded or made-up results.")
    ] = False,
    reads_agreed: Annotated[
        bool,
        typer.Option("--yes-read-only", help="Approve read-only calls in advance. Only a person may."),
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Run a workflow here, and show its progress. Ctrl-C pauses it; `run resume` continues it.

    On a terminal you are asked to approve calls that need it; elsewhere the run pauses for them.
    """
    from recollect.app.person import require_person
    from recollect.cli.run_session import drive

    if reads_agreed:
        require_person("run start --yes-read-only")
    if (file is None) == (intent is None):
        raise RefusedError("give a FILE, or describe the task with --intent.")
    document = None if file is None else read_document(file)
    gateway, store, folder = opened_runs(context)

    async def begin(runs: "Runs") -> "LiveRun":
        planned = document if intent is None else await _planned(runs, intent, value or [])
        return await runs.start(planned, "recollect run", rehearsal=rehearse)

    ended = drive(
        gateway,
        store,
        folder,
        begin,
        shows=not as_json,
        rehearses=rehearse,
        reads_agreed=reads_agreed,
    )
    _finish(ended, as_json=as_json)


@command(app, "resume", "recollect run resume run-1a2b3c4d", output=RunOutput)
def resume(context: typer.Context, run: RunArgument, as_json: JsonFlag = False) -> None:
    """Continue a run that was paused, or whose process ended.

    Interrupted reads are repeated; you decide about an interrupted write. A run that stopped because a
    task failed continues after `run continue`, `run modify` or `run skip`.
    """
    from recollect.cli.run_session import drive

    gateway, store, folder = opened_runs(context)
    id = store.record(run).id

    async def go_on(runs: "Runs") -> "LiveRun":
        live = await runs.resume(id, "recollect run")
        await live.driver.rest()  # commands that waited come first
        if live.state.paused_for in ("command", "layer", "task"):
            await runs.command(id, "continue", {}, "command line")
        return live

    _finish(drive(gateway, store, folder, go_on, shows=not as_json), as_json=as_json)


@command(app, "list", "recollect run list", "recollect run list --json", output=RunsOutput)
def list_runs(context: typer.Context, as_json: JsonFlag = False) -> None:
    """List the runs of this project, the last changed first."""
    _, store, _ = opened_runs(context)
    records = store.journal.runs(_LISTED)
    if as_json:
        print_json(RunsOutput(runs=[run_row(record) for record in records]))
        return
    for record in records:
        say(f"{safe(record.id)}  {record.status:9}  {record.changed_at}  {safe(record.intent)}")
    if not records:
        say("No runs yet; `recollect run start FILE` starts one.")


@command(
    app,
    "show",
    "recollect run show run-1a2b3c4d",
    "recollect run show run-1a2 --svg run.svg",
    output=RunOutput,
)
def show(
    context: typer.Context,
    run: RunArgument,
    svg: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a picture of it to this file instead.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Show one run: its tasks, and what it is waiting for.

    Includes what to know before an approval.
    """
    gateway, store, _ = opened_runs(context)
    id, (state, questions) = store.record(run).id, store.questions(run)
    if svg is not None:
        from recollect.views.run_svg import run_svg

        svg.write_text(run_svg(id, state), encoding="utf-8")
    if as_json:
        print_json(run_output(id, state))
    elif svg is None:
        show_state(id, state)
        _show_questions(gateway, state, questions)


def _show_questions(gateway: "Gateway", state: "RunState", questions: "list[ApprovalQuestion]") -> None:
    """What a person reads before they approve each call."""
    from recollect.workflow.approval_summary import approval_summary

    tools = {tool.id: tool for tool in gateway.catalogue.tools()} if questions else {}
    for question in questions:
        say("")
        for line in approval_summary(state, question, tools.get(question.tool)).splitlines():
            say(safe(line))


def show_state(id: str, state: "RunState") -> None:
    """The picture of a run, and what to do next."""
    draw(picture(state))
    ended = sum(run.has_ended for run in state.tasks.values())
    say(f"{safe(id)}: {state.status}, {ended} of {counted(len(state.tasks), 'task')} ended.")
    if paused := run_output(id, state).get("paused"):
        about = f" about {', '.join(map(safe, paused['tasks']))}" if paused["tasks"] else ""
        say(f"[yellow]It is waiting ({paused['reason'].replace('_', ' ')}){about}.[/]")


async def _planned(runs: "Runs", intent: str, values: list[str]) -> "Json":
    """The workflow for a request. Raises RefusedError that says what is missing."""
    from recollect.app.planner import Wish
    from recollect.views.plans import plan_output, plan_text
    from recollect.workflow.document import workflow_document

    plan = await runs.plan(Wish(intent))
    known = argument_values(values)
    for line in plan_text(plan_output("plan", plan, [], await runs.earlier(intent))).splitlines():
        warn(safe(line))
    if not plan.workflow.tasks:
        raise RefusedError("no tool fits; `recollect gateway discover` shows the closest ones.")
    lacking = [
        f"{need.task}.{need.name}" for need in plan.missing if need.name not in known.get(need.task, {})
    ]
    if lacking:
        raise RefusedError(
            f"the plan is missing {', '.join(lacking)}; give each with --value {lacking[0]}=JSON."
        )
    return workflow_document(plan.workflow.with_arguments(known))


def argument_values(texts: list[str]) -> "dict[str, dict[str, Json]]":
    """`TASK.NAME=JSON`, by task and name."""
    values: dict[str, dict[str, Json]] = {}
    for text in texts:
        place, sign, value = text.partition("=")
        task, dot, name = place.partition(".")
        if not sign or not dot:
            raise RefusedError(f"{text!r} must be written as TASK.NAME=JSON.")
        values.setdefault(task, {})[name] = json_or_text(value)
    return values


def json_or_text(text: str) -> "Json":
    """A JSON value; what is none is text."""
    try:
        value: Json = json.loads(text)
    except ValueError:
        return text
    return value


def _finish(result: "tuple[str, RunState]", *, as_json: bool) -> None:
    id, state = result
    if as_json:
        print_json(run_output(id, state))
    else:
        show_state(id, state)
        if not state.has_ended:
            warn(f"`recollect run resume {safe(id)}` continues it.")
    if state.status != "succeeded":
        raise typer.Exit(Exit.FAILED)


def opened_runs(context: typer.Context) -> "tuple[Gateway, RunStore, Path]":
    from recollect.app.gateway import open_gateway
    from recollect.app.run_store import open_run_store

    start: Start = context.obj
    gateway = open_gateway()
    return gateway, open_run_store(gateway, start.folder), start.folder


def read_document(file: str) -> "Json":
    """A workflow from a file or standard input. YAML reads JSON as well."""
    import yaml

    try:
        document: Json = yaml.safe_load(read_text(file, _MOST_CHARACTERS))
    except yaml.YAMLError as error:
        raise InvalidError(
            f"{file!r} is neither JSON nor YAML: {' '.join(str(error).split())}."
        ) from None
    return document
