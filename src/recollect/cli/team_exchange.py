"""`migrate` and `sync`: memories between files and a team's database."""

import json
from typing import Annotated, Literal, cast

import typer

from recollect.cli.choices import choice_option
from recollect.cli.command import command
from recollect.cli.context import JsonFlag, opened
from recollect.cli.exits import Exit
from recollect.cli.output import counted, print_json, safe, say
from recollect.cli.progress import progress
from recollect.config.addresses import without_password
from recollect.errors import RefusedError
from recollect.views.team_exchange import MigrateOutput, SyncOutput, migrate_output, sync_output

app = typer.Typer()
_SIDES = ("files", "database")
_GO_ON = "run it again to continue"


@command(
    app,
    "migrate",
    "recollect migrate --to postgresql://ada@db.example/team",
    "recollect migrate --to files",
    output=MigrateOutput,
)
def migrate(
    context: typer.Context,
    to: Annotated[
        str, typer.Option("--to", metavar="URL|files", help="A database, or the memory root.")
    ],
    as_json: JsonFlag = False,
) -> None:
    """Move the project's memories to a team's database, or back to files.

    Every file is copied byte for byte, and both sides are compared at the end. The source is not
    changed. After an interruption, run the same command again to continue. Sessions and drafts are not
    moved.
    """
    from recollect.app.driver import importing_driver

    with importing_driver():
        from recollect.app.moving import TO_FILES
        from recollect.app.moving import migrate as move

    recollect = opened(context)
    with progress("Moving memories", _GO_ON) as report:
        moved = move(recollect, to, report)
    if as_json:
        print_json(migrate_output(moved))
        return
    say(
        f"[green]Moved[/] {counted(moved.moved, 'file')}; {moved.already_there:,} were already "
        f"there. {safe(moved.source)} and {safe(moved.target)} have the same bytes:"
    )
    say(f"  {counted(moved.memories, 'memory')}, {counted(moved.links, 'link')}, {moved.bytes:,} bytes")
    for path in moved.unreadable:
        say(f"  [yellow]not a valid memory, moved as it is[/]: {safe(path)}")
    if to == TO_FILES:
        say("Next: unset RECOLLECT_DATABASE, or the setting `database`, to use the files.")
    elif not recollect.config.database:
        say(f"Next: recollect config --user database {safe(without_password(to))}")


@command(
    app,
    "sync",
    "recollect sync",
    "recollect sync --prefer files",
    output=SyncOutput,
)
def sync(
    context: typer.Context,
    prefer: Annotated[
        str | None,
        choice_option(_SIDES, "--prefer", metavar="SIDE", help="The side that wins a conflict."),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Synchronise the files of the repository with the team's database.

    Changes on one side since the last time are copied to the other; changes on both are merged field by
    field. Where both changed the same field, the conflict is shown and nothing is overwritten: choose
    with --prefer, or edit one side.
    """
    from recollect.app.driver import importing_driver

    with importing_driver():
        from recollect.app.syncing import sync as bring_in_step

    if prefer not in (None, *_SIDES):
        raise RefusedError(f"--prefer must be 'files' or 'database', not {prefer!r}.")
    recollect = opened(context)
    with progress("Comparing memories", _GO_ON) as report:
        done = bring_in_step(recollect, cast("Literal['files', 'database'] | None", prefer), report)
    out = sync_output(done)
    if as_json:
        print_json(out)
    else:
        _show(out)
    if done.conflicts:
        raise typer.Exit(Exit.CONFLICT)


def _show(out: SyncOutput) -> None:
    changed = out["to_database"] or out["to_files"] or out["merged"]
    if not changed and not out["conflicts"]:
        say("Files and database are the same.")
        return
    for title, paths in (
        ("to the database", out["to_database"]),
        ("to the files", out["to_files"]),
        ("merged", out["merged"]),
    ):
        if paths:
            say(f"{title}: {counted(len(paths), 'memory')}")
            for path in paths:
                say(f"  {safe(path)}")
    for conflict in out["conflicts"]:
        say(f"[red]conflict[/] {safe(conflict['path'])}: {safe(conflict['reason'])}")
        for row in conflict["fields"]:
            say(f"  {safe(row['field'])}")
            say(f"    files:    {safe(json.dumps(row['files'], ensure_ascii=False))}")
            say(f"    database: {safe(json.dumps(row['database'], ensure_ascii=False))}")
    if out["conflicts"]:
        say("Neither side was overwritten. `--prefer files` or `--prefer database` decides.")
