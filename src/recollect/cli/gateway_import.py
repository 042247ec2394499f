"""`gateway import`: take servers over from harnesses."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.command import command
from recollect.cli.context import JsonFlag, Start
from recollect.cli.exits import Exit
from recollect.cli.gateway import app
from recollect.cli.output import print_json, safe, say
from recollect.errors import NotFoundError, RecollectError
from recollect.views.gateway_import import GatewayImportOutput, harness_server_row

if TYPE_CHECKING:
    from recollect.app.server_import import HarnessServer


@command(
    app,
    "import",
    "recollect gateway import",
    "recollect gateway import files git",
    "recollect gateway import --all",
    output=GatewayImportOutput,
)
def import_servers(
    context: typer.Context,
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]...", help="Add these.")] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Add every new one, but none that a project brings.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Show the MCP servers that your harnesses have, and add those that you name to the gateway.

    It reads the files of Claude Code and Desktop, Cursor, VS Code, Codex, Gemini CLI and opencode, and
    changes none. A server that a project brings is a program that somebody else chose: name it to add it.
    """
    from recollect.app.gateway import open_gateway
    from recollect.app.server_import import harness_servers, take_over

    start: Start = context.obj
    gateway = open_gateway()
    servers = harness_servers(gateway, Path(start.folder).resolve(), gateway.env)
    chosen = _chosen(servers, names or [], every=every)
    added: list[str] = []
    refused: dict[str, str] = {}
    for server in chosen:
        try:
            take_over(gateway, server)
            added.append(server.name)
        except RecollectError as error:
            refused[server.name] = str(error)
    if as_json:
        rows = [harness_server_row(server) for server in servers]
        print_json(GatewayImportOutput(servers=rows, added=added, refused=refused))
    else:
        _show(servers, added, refused)
    raise typer.Exit(Exit.INVALID if refused else Exit.OK)


def _chosen(servers: "list[HarnessServer]", names: list[str], *, every: bool) -> "list[HarnessServer]":
    """One of each name: the user's own comes first."""
    missing = set(names) - {server.name for server in servers}
    if missing:
        raise NotFoundError(
            f"no harness has a server {sorted(missing)[0]!r}; `recollect gateway import` lists them."
        )
    chosen: dict[str, HarnessServer] = {}
    for server in servers:
        is_offered = every and server.state == "new" and not server.from_project
        if server.name in names or is_offered:
            chosen.setdefault(server.name, server)
    return list(chosen.values())


def _show(servers: "list[HarnessServer]", added: list[str], refused: dict[str, str]) -> None:
    for server in servers:
        brought = ", brought by the project" if server.from_project else ""
        say(safe(f"{server.name}  {server.state}  {server.source}{brought}"))
        if server.problem:
            say(safe(f"  {server.problem}"))
    if not servers:
        say("No harness has an MCP server.")
    for name in added:
        say(safe(f"Added {name}; `recollect gateway test {name}` lists its tools."))
    for reason in refused.values():
        say(safe(f"Not added: {reason}"))
