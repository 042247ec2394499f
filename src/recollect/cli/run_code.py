"""`run code`: Python that calls tools, in the sandbox."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.exits import Exit
from recollect.cli.output import print_json, safe_piece, say
from recollect.cli.run import app, json_or_text, opened_runs
from recollect.cli.text_input import read_text
from recollect.errors import RefusedError
from recollect.views.code import CodeOutput, code_output, code_text, code_workflow

if TYPE_CHECKING:
    from recollect.app.gateway import Gateway
    from recollect.app.run_store import RunStore
    from recollect.app.runs import LiveRun, Runs
    from recollect.records.json_format import Json, JsonObject

_MOST_CHARACTERS = 1_000_000


@command(
    app,
    "code",
    "recollect run code report.py",
    "recollect run code report.py --variable 'since=\"2026-01-01\"' --json",
    "recollect run code - < report.py",
    output=CodeOutput,
)
def run_code(
    context: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The code; - is standard input.")],
    variable: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=JSON", help="A variable that the code starts with; repeatable."),
    ] = None,
    intent: Annotated[str, typer.Option(metavar="TEXT", help="What it is for.")] = "",
    rehearse: Annotated[
        bool, typer.Option("--rehearse", help="Call nothing; use recorded or made-up results.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Run Python in the sandbox, with tools as functions.

    The tool git:log is `await git_log(...)`, checked against its schema.

    On a terminal you are asked to approve calls that need it; elsewhere the run pauses, and continues
    with `run approve` and `run resume`.
    """
    opened = opened_runs(context)
    document = code_workflow(read_text(file, _MOST_CHARACTERS), variables_of(variable or []), intent)
    drive_code(opened, document, rehearse=rehearse, as_json=as_json)


def drive_code(
    opened: "tuple[Gateway, RunStore, Path]",
    document: "JsonObject",
    *,
    rehearse: bool = False,
    as_json: bool,
) -> None:
    """Run one piece of code here, and print what came out."""
    from recollect.cli.run_session import drive

    gateway, store, folder = opened

    async def begin(runs: "Runs") -> "LiveRun":
        return await runs.start(document, "recollect run", rehearsal=rehearse)

    id, state = drive(gateway, store, folder, begin, shows=False, rehearses=rehearse)
    output = code_output(id, state)
    if as_json:
        print_json(output)
    else:
        for line in code_text(output).splitlines():
            say(safe_piece(line))
    if state.status != "succeeded":
        raise typer.Exit(Exit.FAILED)


def variables_of(texts: list[str]) -> "dict[str, Json]":
    """`NAME=JSON`, by name."""
    values: dict[str, Json] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign:
            raise RefusedError(f"{text!r} must be written as NAME=JSON.")
        values[name] = json_or_text(value)
    return values
