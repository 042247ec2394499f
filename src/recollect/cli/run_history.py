"""What was: following a run, taking it elsewhere, making another of it, comparing two."""

import json
import time
from pathlib import Path
from typing import Annotated

import typer

from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import counted, print_json, safe, say
from recollect.cli.run import RunArgument, app, argument_values, opened_runs, show_state
from recollect.views.runs import (
    RunDiffOutput,
    RunExport,
    RunForkOutput,
    difference_row,
    event_line,
    run_export,
)

_POLL = 0.2  # seconds


@command(app, "watch", "recollect run watch run-1a2b3c4d", output=RunExport)
def watch(context: typer.Context, run: RunArgument, as_json: JsonFlag = False) -> None:
    """Print the events of a run as they happen, until it ends. Ctrl-C stops watching, not the run.

    With --json they are all printed at the end.
    """
    _, store, _ = opened_runs(context)
    id, number = store.record(run).id, 0
    while True:
        is_over = store.record(id).status not in ("running", "paused")
        for entry in store.journal.entries(id, number):
            number = entry.number
            if not as_json:
                say(safe(event_line(entry)))
        if is_over:
            break
        time.sleep(_POLL)
    if as_json:
        print_json(run_export(store.record(id), store.entries(id)))


@command(app, "export", "recollect run export run-1a2b3c4d --to run.json", output=RunExport)
def export(
    context: typer.Context,
    run: RunArgument,
    to: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The file to write. [standard output]")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Write a run with all its events as JSON. It contains no secrets."""
    _, store, _ = opened_runs(context)
    record = store.record(run)
    exported = run_export(record, store.entries(record.id))
    if to is not None:
        to.write_text(json.dumps(exported, indent=2) + "\n", encoding="utf-8")
    if to is None or as_json:
        print_json(exported)
    else:
        say(f"Wrote {counted(len(exported['events']), 'event')} to {safe(str(to))}.")


@command(
    app,
    "fork",
    "recollect run fork run-1a2b3c4d",
    "recollect run fork run-1a2b3c4d --at 12 --set fetch.url='\"https://example.org\"'",
    output=RunForkOutput,
)
def fork(
    context: typer.Context,
    run: RunArgument,
    at: Annotated[
        int | None, typer.Option(help="The event after which the new run begins. [last]")
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="TASK.NAME=JSON", help="Another argument; repeatable."),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Start a new run from an earlier one.

    Finished tasks are reused, no write is repeated, and no approval is inherited. Tasks whose arguments
    change, and those that read their output, run again; a write asks first.
    """
    _, store, _ = opened_runs(context)
    id, made = store.fork(run, at, argument_values(changes or []))
    if as_json:
        print_json(RunForkOutput(run=id, reused=list(made.reused), asks=list(made.asks)))
        return
    show_state(id, store.state(id))
    say(f"{counted(len(made.reused), 'task')} reused; `recollect run resume {safe(id)}` continues it.")


@command(app, "diff", "recollect run diff run-1a2b3c4d run-5e6f7a8b", output=RunDiffOutput)
def diff(
    context: typer.Context,
    first: RunArgument,
    second: Annotated[str, typer.Argument(metavar="OTHER", help="Another run.")],
    as_json: JsonFlag = False,
) -> None:
    """Show how two runs differ, task by task."""
    from recollect.workflow.comparing import differences

    _, store, _ = opened_runs(context)
    rows = [difference_row(each) for each in differences(store.state(first), store.state(second))]
    if as_json:
        print_json(RunDiffOutput(differences=rows))
        return
    for row in rows:
        say(f"{safe(row['task'])} {row['part']}: {_shown(row['first'])} -> {_shown(row['second'])}")
    if not rows:
        say("They are the same.")


def _shown(value: object) -> str:
    return safe(json.dumps(value, ensure_ascii=False)[:200])
