"""`gateway update`: newer packages of servers, what they change, and the lock file."""

from pathlib import Path
from typing import Annotated

import typer

from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.exits import Exit
from recollect.cli.gateway import app
from recollect.cli.output import print_json, safe, say, warn
from recollect.cli.progress import progress
from recollect.views.gateway_update import GatewayUpdateOutput, UpdateRow, update_row


@command(
    app,
    "update",
    "recollect gateway update --dry-run",
    "recollect gateway update files",
    output=GatewayUpdateOutput,
)
def update(
    server: Annotated[
        str | None, typer.Argument(metavar="SERVER", help="One server. [all enabled ones]")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Query the registries; change and start nothing.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Update the packages of servers to their newest mature versions.

    The versions go into the commands and into `gateway.lock`.

    A version is mature a few days after its release (`gateway.min_release_age_days`). Tools that
    changed with it are blocked until `gateway review`. A package that cannot be reached stays as it is,
    and the exit code is 10.
    """
    from recollect.app.gateway import open_gateway
    from recollect.app.gateway_update import GatewayUpdate

    gateway = open_gateway()
    run = GatewayUpdate(gateway, Path.cwd())
    names = [server] if server else gateway.enabled
    with progress("Updating servers", "run it again to continue") as report:
        rows = [update_row(row) for row in run.run(names, dry_run=dry_run, progress=report)]
    if as_json:
        out = GatewayUpdateOutput(dry_run=dry_run, lock_file=str(run.lock_file), servers=rows)
        print_json(out)
    else:
        for row in rows:
            _show(row)
        if not rows:
            say("No servers yet. `recollect gateway add` adds one.")
        elif not dry_run:
            say(f"[dim]{safe(str(run.lock_file))} is up to date.[/]")
    if any(row["error"] for row in rows):
        raise typer.Exit(Exit.UPSTREAM)


def _show(row: UpdateRow) -> None:
    name = f"[bold]{safe(row['server'])}[/] [dim]{safe(row['package'])}[/]"
    if row["error"]:
        warn(f"{name}: {safe(row['error'])}")
        return
    old, new = row["old_version"] or "no fixed version", row["new_version"]
    if not row["package"]:
        say(f"{name}: does not run a package from a registry")
    elif not new:
        say(f"{name}: no release is old enough")
    else:
        say(f"{name}: {safe(new)}" if old == new else f"{name}: {safe(old)} → {safe(new)}")
    if row["held_back"]:
        say(f"  [dim]{safe(row['held_back'])} is too recent and not taken yet[/]")
    for id, lines in row["changes"].items():
        say(f"  [yellow]{safe(id)}[/] changed; `recollect gateway review {safe(id)}` decides")
        for line in lines:
            say(f"    {safe(line)}")
