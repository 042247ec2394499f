"""`run`: start a workflow, watch it, and go on with it."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.command import command
from recollect.cli.context import JsonFlag, Start
from recollect.cli.exits import Exit
from recollect.cli.output import counted, draw, print_json, safe, say, warn
from recollect.cli.run_picture import picture
from recollect.errors import InvalidError, NotFoundError
from recollect.views.runs import RunOutput, RunsOutput, run_output, run_row

if TYPE_CHECKING:
    from recollect.app.gateway import Gateway
    from recollect.app.run_store import RunStore
    from recollect.app.runs import LiveRun, Runs
    from recollect.records.json_format import Json
    from recollect.workflow.run_state import RunState

app = typer.Typer(
    name="run",
    help="Workflows: calls of tools as a graph, in parallel and resumable.",
    no_args_is_help=True,
)
_LISTED = 20
_MOST_BYTES = 4_000_000
RunArgument = Annotated[str, typer.Argument(metavar="RUN", help="The run's id, or its beginning.")]


@command(
    app,
    "start",
    "recollect run start tidy.json",
    "recollect run start tidy.yaml --json",
    "recollect run start - < tidy.json",
    output=RunOutput,
)
def start(
    context: typer.Context,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="The workflow as JSON or YAML; - is standard input.")
    ],
    as_json: JsonFlag = False,
) -> None:
    """Run a workflow here, with a picture of it. Ctrl-C pauses it; `run resume` goes on.

    A call that needs an approval is asked about on a terminal; elsewhere the run pauses for it.
    """
    from recollect.cli.run_session import drive

    document = _document(file)
    gateway, store, folder = opened_runs(context)

    async def begin(runs: "Runs") -> "LiveRun":
        return await runs.start(document, "recollect run")

    _finish(drive(gateway, store, folder, begin, shows=not as_json), as_json=as_json)


@command(app, "resume", "recollect run resume run-1a2b3c4d", output=RunOutput)
def resume(context: typer.Context, run: RunArgument, as_json: JsonFlag = False) -> None:
    """Go on with a run that was paused, or whose process ended.

    What only reads is done again if it was interrupted; a write that was interrupted is put to you. A run
    that waits because a task failed goes on after `run continue`, `run modify` or `run skip`.
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
    """The runs of this project, what changed last first."""
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
    app, "show", "recollect run show run-1a2b3c4d", "recollect run show 1a2 --json", output=RunOutput
)
def show(context: typer.Context, run: RunArgument, as_json: JsonFlag = False) -> None:
    """One run: its tasks, how they stand, and what it waits for."""
    from recollect.workflow.reducer import reduced

    _, store, _ = opened_runs(context)
    id = store.record(run).id
    state = reduced([entry.event for entry in store.entries(id)])
    if as_json:
        print_json(run_output(id, state))
    else:
        show_state(id, state)


def show_state(id: str, state: "RunState") -> None:
    """The picture of a run, and what to do next."""
    draw(picture(state))
    ended = sum(run.has_ended for run in state.tasks.values())
    say(f"{safe(id)}: {state.status}, {ended} of {counted(len(state.tasks), 'task')} ended.")
    if paused := run_output(id, state).get("paused"):
        about = f" about {', '.join(map(safe, paused['tasks']))}" if paused["tasks"] else ""
        say(f"[yellow]It waits ({paused['reason'].replace('_', ' ')}){about}.[/]")


def _finish(result: "tuple[str, RunState]", *, as_json: bool) -> None:
    id, state = result
    if as_json:
        print_json(run_output(id, state))
    else:
        show_state(id, state)
        if not state.has_ended:
            warn(f"`recollect run resume {safe(id)}` goes on.")
    if state.status != "succeeded":
        raise typer.Exit(Exit.FAILED)


def opened_runs(context: typer.Context) -> "tuple[Gateway, RunStore, Path]":
    from recollect.app.gateway import open_gateway
    from recollect.app.run_store import open_run_store

    start: Start = context.obj
    gateway = open_gateway()
    return gateway, open_run_store(gateway, start.folder), start.folder


def _document(file: str) -> "Json":
    """A workflow from a file or standard input. YAML reads JSON as well."""
    import yaml

    try:
        text = (
            sys.stdin.read(_MOST_BYTES) if file == "-" else Path(file).read_text("utf-8")[:_MOST_BYTES]
        )
        document: Json = yaml.safe_load(text)
    except OSError as error:
        raise NotFoundError(f"{file!r} cannot be read: {error.strerror}.") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InvalidError(
            f"{file!r} is neither JSON nor YAML: {' '.join(str(error).split())}."
        ) from None
    return document
