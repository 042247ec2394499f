"""`gateway`: the tools of MCP servers, and which of them fit a request."""

from pathlib import Path
from typing import Annotated

import typer

from recollect.cli.bench_output import table
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import counted, draw, print_json, safe, say
from recollect.views.gateway import DiscoverOutput, discover_output

_WIDTH = 72  # characters of a description

app = typer.Typer(
    name="gateway", help="Find the tools of MCP servers by what they do.", no_args_is_help=True
)


@command(
    app,
    "discover",
    "recollect gateway discover 'rename a file' --catalogue tools.json",
    "recollect gateway discover read_file --catalogue tools.json --json",
    output=DiscoverOutput,
)
def discover(
    query: Annotated[str, typer.Argument(help="What the tool should do, or its exact name.")],
    catalogue: Annotated[
        Path,
        typer.Option(help="A file with tools: what `tools/list` answers, or one tool per line."),
    ],
    limit: Annotated[int, typer.Option(min=1, max=100, help="How many tools to show.")] = 10,
    as_json: JsonFlag = False,
) -> None:
    """Find the tools that fit a request, best first, and say when none does."""
    from recollect.app.tool_search import open_tool_search, read_catalogue

    search = open_tool_search(read_catalogue(catalogue))
    search.embed()
    discovery = search.find(query, limit=limit)
    out = discover_output(query, discovery, by_meaning=search.has_model)
    if as_json:
        print_json(out)
        return
    _show(out)


def _show(out: DiscoverOutput) -> None:
    if not out["tools"]:
        say("No tool has anything to do with that.")
        return
    if not out["fits"]:
        say(f"[yellow]Probably no tool fits[/] (confidence {out['confidence']:.2f}). The nearest:")
    rows = table(counted(len(out["tools"]), "tool"), "tool", "score", "what it does")
    rows.columns[-1].justify = "left"
    for tool in out["tools"]:
        description = " ".join(tool["description"].split())
        short = description if len(description) <= _WIDTH else description[: _WIDTH - 1] + "…"
        rows.add_row(safe(tool["id"]), f"{tool['score']:.2f}", safe(short))
    draw(rows)
    if not out["by_meaning"]:
        say("[dim]By words alone; `recollect model install` adds search by meaning.[/]")
