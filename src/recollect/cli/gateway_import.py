"""`gateway import`: servers of harnesses, added to the gateway or taken over by it."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.command import command
from recollect.cli.context import JsonFlag, Start
from recollect.cli.exits import Exit
from recollect.cli.gateway import app
from recollect.cli.output import print_json, safe, safe_piece, say
from recollect.errors import NotFoundError, RecollectError, RefusedError
from recollect.views.gateway_import import GatewayImportOutput, harness_server_row, taken_file_row

if TYPE_CHECKING:
    from recollect.app.gateway import Gateway
    from recollect.app.server_import import HarnessServer
    from recollect.app.server_takeover import FilePlan


@command(
    app,
    "import",
    "recollect gateway import",
    "recollect gateway import files git",
    "recollect gateway import --all",
    "recollect gateway import --take-over --dry-run",
    "recollect gateway import files --take-over --yes",
    output=GatewayImportOutput,
)
def import_servers(
    context: typer.Context,
    names: Annotated[list[str] | None, typer.Argument(metavar="NAME", help="Add these.")] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Add every new one, except those that a project brings.")
    ] = False,
    take_over: Annotated[
        bool,
        typer.Option("--take-over", help="Also replace them with Recollect in the harnesses' files."),
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="With --take-over: show what would change, and change nothing."),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Take over without asking.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Show the MCP servers of your agents, and add those you name.

    It reads the files of Claude Code and Desktop, Cursor, VS Code, Codex, Gemini CLI and opencode. With
    --take-over it shows what changes in them, asks, and replaces the servers that the gateway then has
    with `recollect serve`; `recollect uninstall` restores the files. A server that a project brings is
    a program that someone else chose, so add it by name.
    """
    from recollect.app.gateway import open_gateway
    from recollect.app.server_import import harness_servers

    if (dry_run or yes) and not take_over:
        raise RefusedError("--dry-run and --yes need --take-over.")
    start: Start = context.obj
    gateway = open_gateway()
    servers = harness_servers(gateway, Path(start.folder).resolve(), gateway.env)
    chosen = _chosen(servers, names or [], every=every or (take_over and not names), once=not take_over)
    output = GatewayImportOutput(
        servers=[harness_server_row(server) for server in servers], added=[], refused={}, files=[]
    )
    if not as_json:
        _show(servers)
    if take_over:
        _take_over(gateway, chosen, output, yes=yes, dry_run=dry_run, quiet=as_json)
    else:
        _add(gateway, chosen, output)
    if as_json:
        print_json(output)
    else:
        _show_outcome(output)
    raise typer.Exit(Exit.INVALID if output["refused"] else Exit.OK)


def _chosen(
    servers: "list[HarnessServer]", names: list[str], *, every: bool, once: bool
) -> "list[HarnessServer]":
    """The servers to add. One of each name if `once`: the user's own comes first."""
    missing = set(names) - {server.name for server in servers}
    if missing:
        raise NotFoundError(
            f"no harness has a server {sorted(missing)[0]!r}; `recollect gateway import` lists them."
        )
    offered = ("new",) if once else ("new", "same")
    chosen: dict[tuple[str, str], HarnessServer] = {}
    for server in servers:
        is_offered = every and server.state in offered and not server.from_project
        if server.name in names or is_offered:
            place = "" if once else f"{server.source} {server.file.keys}"
            chosen.setdefault((server.name, place), server)
    return list(chosen.values())


def _add(gateway: "Gateway", servers: "list[HarnessServer]", output: GatewayImportOutput) -> None:
    from recollect.app.server_import import add_server

    for server in servers:
        try:
            add_server(gateway, server)
            output["added"].append(server.name)
        except RecollectError as error:
            output["refused"][server.name] = str(error)


def _take_over(
    gateway: "Gateway",
    servers: "list[HarnessServer]",
    output: GatewayImportOutput,
    *,
    yes: bool,
    dry_run: bool,
    quiet: bool,
) -> None:
    """Take servers over, file by file, where the user agrees."""
    from recollect.app.server_takeover import plan_takeover, take_over

    plan = plan_takeover(servers, gateway.env)
    output["refused"] |= plan.refused
    for file in plan.files:
        if not quiet:
            _show_file(file)
        agreed = not dry_run and (yes or _confirmed(file, quiet=quiet))
        try:
            added = take_over(gateway, file) if agreed else []
        except RecollectError as error:
            output["refused"][file.path] = str(error)
            continue
        output["added"] += added
        output["files"].append(taken_file_row(file, is_changed=agreed))


def _confirmed(file: "FilePlan", *, quiet: bool) -> bool:
    return not quiet and sys.stdin.isatty() and typer.confirm(f"Change {safe(file.path)}?")


def _show_file(file: "FilePlan") -> None:
    names = ", ".join(server.name for server in file.servers)
    say(f"[bold]{safe(file.path)}[/] would have recollect instead of {safe(names)}:")
    for line in file.diff():
        colour = {"+": "green", "-": "red", "@": "dim"}.get(line[:1], "")
        shown = safe_piece(line)
        say(f"    [{colour}]{shown}[/]" if colour else f"    {shown}")
    if any(server.from_project for server in file.servers):
        say("    Others who use this file lose these servers until they add them to their own gateway.")


def _show(servers: "list[HarnessServer]") -> None:
    for server in servers:
        brought = ", brought by the project" if server.from_project else ""
        say(safe(f"{server.name}  {server.state}  {server.source}{brought}"))
        if server.problem:
            say(safe(f"  {server.problem}"))
    if not servers:
        say("No harness has MCP servers.")


def _show_outcome(output: GatewayImportOutput) -> None:
    for name in output["added"]:
        say(safe(f"Added {name}; `recollect gateway test {name}` lists its tools."))
    for file in output["files"]:
        if file["is_changed"]:
            say(
                safe(f"Changed {file['path']}; restart the harness, `recollect uninstall` restores it.")
            )
        else:
            say(safe(f"Not changed: {file['path']}; --take-over --yes changes it without asking."))
    for reason in output["refused"].values():
        say(safe(f"Refused: {reason}"))
