"""`gateway`: MCP servers behind Recollect, their tools, and which of them fit a request."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from recollect.cli import (
    gateway_login,
    gateway_receipts,
    gateway_record,
    gateway_restart,
    gateway_secret,
    gateway_speculation,
)
from recollect.cli.bench_output import table
from recollect.cli.command import command
from recollect.cli.context import JsonFlag, Start
from recollect.cli.exits import Exit
from recollect.cli.output import counted, draw, print_json, safe, say, warn
from recollect.cli.progress import progress
from recollect.errors import InvalidError, ModelError, RefusedError, StoreError, UpstreamError
from recollect.views.capability_summary import capability_line
from recollect.views.gateway import (
    DiscoverOutput,
    GatewayChangeOutput,
    GatewayListOutput,
    GatewayLogsOutput,
    GatewayTestOutput,
    ServerRow,
    discover_output,
    server_row,
    tested_row,
)

if TYPE_CHECKING:
    from recollect.app.gateway import Refreshed

_WIDTH = 72  # characters of a description

app = typer.Typer(
    name="gateway", help="Configure MCP servers, and find their tools.", no_args_is_help=True
)
for module in (
    gateway_login,
    gateway_receipts,
    gateway_record,
    gateway_restart,
    gateway_secret,
    gateway_speculation,
):
    app.add_typer(module.app)
ServerArgument = Annotated[str, typer.Argument(metavar="SERVER", help="The name of a server.")]


@command(
    app,
    "add",
    "recollect gateway add time -- uvx mcp-server-time",
    "recollect gateway add files -- npx -y @modelcontextprotocol/server-filesystem ~/work",
    "recollect gateway add tracker --url https://mcp.example.com --header 'X-Key=${TRACKER_KEY}'",
    output=GatewayChangeOutput,
)
def add(
    server: ServerArgument,
    program: Annotated[
        list[str] | None, typer.Argument(help="The program and its arguments, after `--`.")
    ] = None,
    url: Annotated[str, typer.Option(help="The address of a running server.")] = "",
    sse: Annotated[bool, typer.Option("--sse", help="The server at --url speaks SSE.")] = False,
    env: Annotated[
        list[str] | None,
        typer.Option(
            help="NAME=VALUE for the program; ${VARIABLE} and ${keyring:NAME} are read at start. Repeatable."
        ),
    ] = None,
    header: Annotated[
        list[str] | None,
        typer.Option(
            help="NAME=VALUE for --url; ${VARIABLE} and ${keyring:NAME} are read at start. Repeatable."
        ),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Overwrite an existing server of that name.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Configure an MCP server. Nothing is started; `gateway test` tries it.

    Secrets are refused: export them and name the variable, or store them with `gateway secret set`.
    """
    from recollect.app.gateway import open_gateway

    if bool(program) == bool(url):
        raise RefusedError("give either a program after `--` or --url.")
    entry: dict[str, object]
    if url:
        entry = {"type": "sse" if sse else "http", "url": url, "headers": _pairs(header)}
    else:
        command_line = program or []
        entry = {"command": command_line[0], "args": command_line[1:], "env": _pairs(env)}
    gateway = open_gateway()
    gateway.add(server, entry, replace=replace)
    if as_json:
        print_json(GatewayChangeOutput(server=server, file=str(gateway.file)))
        return
    say(f"Added {safe(server)}. [dim]`recollect gateway test {safe(server)}` lists its tools.[/]")


def _pairs(values: list[str] | None) -> dict[str, str]:
    pairs = {}
    for value in values or ():
        name, equals, text = value.partition("=")
        if not equals or not name:
            raise RefusedError(f"{value!r} must be written as NAME=VALUE.")
        pairs[name] = text
    return pairs


@command(app, "remove", "recollect gateway remove time", output=GatewayChangeOutput)
def remove(server: ServerArgument, as_json: JsonFlag = False) -> None:
    """Remove a server and what is known about its tools."""
    from recollect.app.gateway import open_gateway

    gateway = open_gateway()
    gateway.remove(server)
    if as_json:
        print_json(GatewayChangeOutput(server=server, file=str(gateway.file)))
        return
    say(f"Removed {safe(server)}.")


@command(
    app,
    "list",
    "recollect gateway list",
    "recollect gateway list --json",
    output=GatewayListOutput,
)
def list_servers(as_json: JsonFlag = False) -> None:
    """List the configured servers."""
    from recollect.app.gateway import open_gateway

    gateway = open_gateway()
    rows = [server_row(state) for state in gateway.states()]
    if as_json:
        print_json(GatewayListOutput(file=str(gateway.file), servers=rows))
        return
    if not rows:
        say("No servers yet. `recollect gateway add` adds one.")
        return
    shown = table(counted(len(rows), "server"), "server", "tools", "state", "listed", "how")
    for column in shown.columns[2:]:
        column.justify = "left"
    for row in rows:
        off = "" if row["enabled"] else " [dim](off)[/]"
        blocked = f" [yellow]({row['blocked']} blocked)[/]" if row["blocked"] else ""
        listed = row["listed_at"] or "never; `gateway test` lists them"
        shown.add_row(
            safe(row["name"]) + off,
            str(row["tools"]) + blocked,
            _state(row),
            listed,
            f"{row['transport']} {safe(row['target'])}",
        )
    draw(shown)


def _state(row: ServerRow) -> str:
    if row["breaker"] == "open":
        return f"[red]failed {counted(row['failures'], 'time')}[/]"
    if row["state"] == "leased":
        return f"leased ({counted(row['clients'], 'client')})"
    return row["state"]


@command(
    app,
    "test",
    "recollect gateway test",
    "recollect gateway test time --json",
    output=GatewayTestOutput,
)
def try_servers(
    server: Annotated[
        str | None, typer.Argument(metavar="SERVER", help="One server. [all enabled ones]")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Start servers, list their tools, and stop them. Exit code 10 if one does not answer."""
    from recollect.app.gateway import open_gateway

    gateway = open_gateway()
    outcomes: dict[str, Refreshed | str] = {}
    names = [server] if server else gateway.enabled
    with progress("Starting servers") as report:
        for name in names:
            report(len(outcomes), len(names))
            try:
                outcomes[name] = gateway.refresh(name)
            except (UpstreamError, InvalidError, StoreError) as error:
                outcomes[name] = str(error)
    if as_json:
        rows = [tested_row(name, outcome) for name, outcome in outcomes.items()]
        print_json(GatewayTestOutput(servers=rows))
    else:
        _show_outcomes(outcomes)
    if any(isinstance(outcome, str) for outcome in outcomes.values()):
        raise typer.Exit(Exit.UPSTREAM)


def _show_outcomes(outcomes: "dict[str, Refreshed | str]") -> None:
    if not outcomes:
        say("No servers yet. `recollect gateway add` adds one.")
    for name, outcome in outcomes.items():
        if isinstance(outcome, str):
            warn(f"[red]{safe(name)}[/]: {safe(outcome)}")
            continue
        change = outcome.change
        parts = (("new", change.added), ("gone", change.removed), ("changed", change.changed))
        notes = [f"{len(names)} {word}" for word, names in parts if names]
        notes += [f"{len(change.repeated)} listed twice"] if change.repeated else []
        say(
            f"[green]{safe(name)}[/]: {counted(outcome.tools, 'tool')}"
            + (f" [dim]({', '.join(notes)})[/]" if notes else "")
        )
        if outcome.blocked or outcome.flagged:
            counts = f"{len(outcome.blocked)} blocked until reviewed, {len(outcome.flagged)} with flags"
            say(f"  [yellow]{counts}[/]; `recollect gateway review {safe(name)}` shows them.")


@command(
    app,
    "logs",
    "recollect gateway logs time",
    "recollect gateway logs time --lines 200",
    output=GatewayLogsOutput,
)
def logs(
    server: ServerArgument,
    lines: Annotated[int, typer.Option(min=1, help="How many of the last lines to show.")] = 50,
    as_json: JsonFlag = False,
) -> None:
    """Show what a server wrote to standard error."""
    from recollect.app.gateway import open_gateway
    from recollect.app.server_logs import log_lines

    gateway = open_gateway()
    gateway.upstream(server)
    last = log_lines(gateway.log(server), lines)
    if as_json:
        file = str(gateway.log(server))
        print_json(GatewayLogsOutput(server=server, file=file, lines=list(last)))
        return
    for line in last:
        say(safe(line))


@command(
    app,
    "discover",
    "recollect gateway discover 'rename a file'",
    "recollect gateway discover 'publish it' --context git:git_commit",
    "recollect gateway discover read_file --catalogue tools.json --json",
    output=DiscoverOutput,
)
def discover(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="What the tool should do, or its exact name.")],
    in_use: Annotated[
        list[str] | None,
        typer.Option("--context", metavar="TOOL", help="The id of a tool in use. Repeatable."),
    ] = None,
    catalogue: Annotated[
        Path | None,
        typer.Option(
            help="A file with tools: the answer of `tools/list`, or one tool per line. [the tools of the "
            "configured servers]"
        ),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="How many tools to show.")] = 10,
    as_json: JsonFlag = False,
) -> None:
    """Find the tools that fit a request, best first.

    Says so when none does. No server is started.

    Capabilities that fit come first; a catalogue of your own has none.
    """
    from recollect.app.capability_search import project_capabilities
    from recollect.app.gateway import open_gateway
    from recollect.app.tool_experience import tool_experience
    from recollect.app.tool_search import open_tool_search, read_catalogue

    gateway, start = open_gateway(), cast("Start", context.obj)
    search = open_tool_search(read_catalogue(catalogue)) if catalogue else gateway.search()
    try:
        search.embed()
    except ModelError as error:
        warn(safe(f"search uses words only: {error}"))
    discovery = search.find(query, tool_experience(gateway, start.folder, in_use or ()), limit)
    code = () if catalogue else project_capabilities(gateway, start.folder, query, search)
    out = discover_output(query, discovery, code, by_meaning=search.by_meaning)
    if as_json:
        print_json(out)
        return
    if not search.tools:
        say(
            "There are no tools yet. `recollect gateway add` adds a server, `gateway test` lists its tools."
        )
        return
    _show(out)


def _show(out: DiscoverOutput) -> None:
    for row in out["capabilities"]:
        say(safe(capability_line(row)))
    if not out["tools"]:
        say("No tool matches.")
        return
    if not out["fits"]:
        say(f"[yellow]Probably no tool fits[/] (confidence {out['confidence']:.2f}). The closest:")
    rows = table(counted(len(out["tools"]), "tool"), "tool", "score", "what it does")
    rows.columns[-1].justify = "left"
    for tool in out["tools"]:
        description = " ".join(tool["description"].split())
        short = description if len(description) <= _WIDTH else description[: _WIDTH - 1] + "…"
        rows.add_row(safe(tool["id"]), f"{tool['score']:.2f}", safe(short))
    draw(rows)
    if not out["by_meaning"]:
        say("[dim]Searched by words only; `recollect model install` adds search by meaning.[/]")
