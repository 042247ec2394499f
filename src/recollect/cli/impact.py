"""`status` and `impact`: which harnesses are connected, and whether injected memories were used."""

import os
from typing import TYPE_CHECKING

import typer

from recollect import paths
from recollect.cli.command import command
from recollect.cli.context import JsonFlag, opened
from recollect.cli.memory_table import Column, show_table
from recollect.cli.output import print_json, safe, say
from recollect.cli.settings import setting_problems, show_problems
from recollect.errors import RecollectError
from recollect.views.harnesses import (
    HarnessRow,
    ImpactOutput,
    ImpactRow,
    StatusOutput,
)

if TYPE_CHECKING:
    from recollect.app.project import Recollect

_COLUMNS = (
    Column("memory", "id"),
    Column("title", "text"),
    Column("injected", "fixed", "right"),
    Column("used", "fixed", "right"),
    Column("", "fixed"),
)

app = typer.Typer()


@command(app, "status", "recollect status", "recollect status --json", output=StatusOutput)
def status(context: typer.Context, as_json: JsonFlag = False) -> None:
    """Show which agents are connected, and what was injected."""
    from recollect.app.models import configured_model, configured_reranker
    from recollect.hook.latency import read_latencies
    from recollect.server import surface
    from recollect.views.overview import latency_row

    recollect = opened(context, shows_settings=True)
    user_file = paths.user_config(os.environ)
    model = configured_model(recollect.models, recollect.config, user_file)
    reranker = configured_reranker(recollect.models, recollect.config, user_file)
    out: StatusOutput = {
        "project": recollect.identity.name,
        "root": str(recollect.root),
        "memories": recollect.memory_count,
        "model": model.name if model else None,
        "reranker": reranker.name if reranker else None,
        "settings": setting_problems(recollect),
        "surface": {
            "tools": surface.TOOL_COUNT,
            "tokens": surface.ALL_TOKENS,
            "loaded_first": list(surface.LOADED_FIRST),
            "loaded_first_tokens": surface.LOADED_FIRST_TOKENS,
        },
        "latency": [latency_row(row) for row in read_latencies(str(recollect.state_folder))],
        "harnesses": _harnesses(recollect),
        "given": [
            {
                "session": row.session,
                "id": row.memory.removeprefix("mem:"),
                "at": row.at,
                "probability": round(row.probability, 3),
                "used": row.used,
            }
            for row in recollect.sessions.injections(10)
        ],
    }
    if as_json:
        print_json(out)
    else:
        _show_status(out)


def _show_status(out: StatusOutput) -> None:
    say(f"root      {safe(out['root'])}, {out['memories']} files")
    say(f"model     {safe(out['model'] or 'none; search uses words only')}")
    if out["reranker"]:
        say(f"reranker  {safe(out['reranker'])}, on a running server")
    show_problems(out["settings"])
    tools = out["surface"]
    say(
        f"tools     {tools['tools']} MCP tools, {tools['tokens']:,} tokens; where a harness hides tools, "
        f"{len(tools['loaded_first'])} are loaded from the start, {tools['loaded_first_tokens']:,} tokens"
    )
    for harness in out["harnesses"]:
        say(f"harness   [bold]{harness['name']}[/] {_state(harness)}")
        if harness["next_step"]:
            say(f"          [dim]next: {safe(harness['next_step'])}[/]")
    if not out["harnesses"]:
        say("harness   [dim]none detected[/]")
    for door in out["latency"]:
        times = f"p50 {door['p50_ms']:.1f} ms, p95 {door['p95_ms']:.1f} ms"
        say(f"latency   {door['door']:<20} {times} [dim]{door['calls']:,} calls[/]")
    for row in out["given"]:
        used = f"[green]{row['used']}[/]" if row["used"] else "[dim]not used yet[/]"
        when, probability = row["at"].replace("T", " ")[:16], f"probability {row['probability']:.2f}"
        say(f"injected  {when}  [bold]{safe(row['id'])}[/] [dim]{probability}[/] {used}")


def _harnesses(recollect: "Recollect") -> list[HarnessRow]:
    connections = recollect.connections
    present, connected, plugged = connections.present(), connections.connected(), connections.plugged()
    return [
        {
            "name": name,
            "present": name in present,
            "connected": name in connected,
            "plugin": name in plugged,
            "next_step": connections.next_step(name) if name in connected or name in plugged else "",
            "obstacle": connections.obstacle(name) if name in connected else "",
        }
        for name in sorted({*present, *connected, *plugged})
    ]


def _state(row: HarnessRow) -> str:
    if row["obstacle"]:
        return f"[red]cannot start:[/] {safe(row['obstacle'])}"
    match row["connected"], row["plugin"]:
        case True, True:
            return "[yellow]connected twice, so every hook runs twice; remove its plugin[/]"
        case True, False:
            return "[green]connected[/]" if row["next_step"] else "[green]connected and trusted[/]"
        case False, True:
            return "[green]connected by its plugin[/]"
        case _:
            return "[dim]not connected; run recollect init[/]"


@command(app, "impact", "recollect impact", "recollect impact --json", output=ImpactOutput)
def impact(context: typer.Context, as_json: JsonFlag = False) -> None:
    """Show which injected memories were used and which were not.

    For each memory: how often it was injected into a prompt, and how often the agent then read it,
    touched a file that it describes, or mentioned it. A memory that was injected often and never used
    needs a review; nothing is removed automatically.
    """
    from recollect.views.overview import needs_review

    recollect = opened(context)
    rows: list[ImpactRow] = []
    for row in recollect.sessions.impact():
        id = row.memory.removeprefix("mem:")
        try:
            title: str | None = recollect.get(id).memory.title
        except RecollectError:  # deleted, or no longer readable
            title = None
        rows.append(
            {
                "id": id,
                "title": title,
                "given": row.injected,
                "used": row.used,
                "review": needs_review(row),
            }
        )
    if as_json:
        out: ImpactOutput = {"memories": rows}
        print_json(out)
        return
    if not rows:
        say("[dim]No memory has been injected yet.[/]")
        return
    show_table(_COLUMNS, [_cells(row) for row in rows])


def _cells(row: ImpactRow) -> tuple[str, ...]:
    note = "[yellow]never used; review it[/]" if row["review"] else ""
    return row["id"], safe(row["title"] or "(deleted)"), str(row["given"]), str(row["used"]), note
