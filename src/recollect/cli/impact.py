"""`hook-command` and `impact`: what the harnesses run, and what came of it."""

from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.command import command
from recollect.cli.context import JsonFlag, opened
from recollect.cli.output import console, print_json, safe, say
from recollect.errors import RecollectError
from recollect.views.harnesses import (
    HarnessRow,
    HookCommandOutput,
    ImpactOutput,
    ImpactRow,
    StatusOutput,
)

if TYPE_CHECKING:
    from recollect.app.project import Recollect

GIVEN_BEFORE_REVIEW = 5  # times in vain; then a person should look at it


def register(app: typer.Typer) -> None:
    command(
        app,
        "hook-command",
        "recollect hook-command UserPromptSubmit",
        "recollect hook-command BeforeAgent --harness gemini --json",
        output=HookCommandOutput,
    )(hook_command)
    command(app, "status", "recollect status", "recollect status --json", output=StatusOutput)(status)
    command(app, "impact", "recollect impact", "recollect impact --json", output=ImpactOutput)(impact)


def hook_command(
    event: Annotated[str, typer.Argument(metavar="EVENT", help="The harness's name of the event.")],
    harness: Annotated[
        str, typer.Option(help="claude-code, codex, cursor, gemini or opencode.")
    ] = "claude-code",
    as_json: JsonFlag = False,
) -> None:
    """Print the command that a harness runs for an event.

    Exactly what `recollect init` writes into its configuration. The line ends with 0 even when the program
    is gone, for a harness may take anything else as a reason to block.
    """
    from recollect.agents.harnesses import get_harness
    from recollect.agents.install import shell_line
    from recollect.app import opening

    words = opening.hook_command(get_harness(harness).name, event)
    if as_json:
        out: HookCommandOutput = {"command": words, "shell": shell_line(words)}
        print_json(out)
    else:
        print(shell_line(words))


def status(context: typer.Context, as_json: JsonFlag = False) -> None:
    """What is connected, and what prompts were given last."""
    recollect = opened(context)
    model = recollect.models.get(recollect.config.retrieval.model)
    out: StatusOutput = {
        "project": recollect.identity.name,
        "root": str(recollect.root),
        "memories": recollect.memory_count,
        "model": model.name if model else None,
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
    say(f"model     {safe(out['model'] or 'none: search goes by words')}")
    for row in out["harnesses"]:
        say(f"harness   [bold]{row['name']}[/] {_state(row)}")
        if row["next_step"]:
            say(f"          [dim]next: {safe(row['next_step'])}[/]")
    if not out["harnesses"]:
        say("harness   [dim]none found here[/]")
    for given in out["given"]:
        used = f"[green]{given['used']}[/]" if given["used"] else "[dim]not used so far[/]"
        when, why = given["at"].replace("T", " ")[:16], f"probability {given['probability']:.2f}"
        say(f"given     {when}  [bold]{safe(given['id'])}[/] [dim]{why}[/] {used}")


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
        }
        for name in sorted({*present, *connected, *plugged})
    ]


def _state(row: HarnessRow) -> str:
    match row["connected"], row["plugin"]:
        case True, True:
            return "[yellow]connected twice, so every hook runs twice; take its plugin out[/]"
        case True, False:
            return "[green]connected[/]" if row["next_step"] else "[green]connected and trusted[/]"
        case False, True:
            return "[green]connected by its plugin[/]"
        case _:
            return "[dim]not connected; recollect init[/]"


def impact(context: typer.Context, as_json: JsonFlag = False) -> None:
    """Which memories help, and which never do.

    For each memory: how often a prompt was given it, and how often the agent then read it, touched what
    it is about, or spoke of it. One that was given often and never used is worth a look; nothing is
    dropped by itself.
    """
    recollect = opened(context)
    rows: list[ImpactRow] = []
    for row in recollect.sessions.impact():
        id = row.memory.removeprefix("mem:")
        try:
            title: str | None = recollect.get(id).memory.title
        except RecollectError:  # gone, or no longer readable
            title = None
        review = row.given >= GIVEN_BEFORE_REVIEW and not row.used
        rows.append({"id": id, "title": title, "given": row.given, "used": row.used, "review": review})
    if as_json:
        out: ImpactOutput = {"memories": rows}
        print_json(out)
        return
    if not rows:
        say("[dim]No prompt has been given a memory yet.[/]")
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("memory", "title", "given", "used", ""):
        table.add_column(
            name, justify="right" if name in ("given", "used") else "left", overflow="fold"
        )
    for found in rows:
        note = "[yellow]never used: worth a look[/]" if found["review"] else ""
        title = safe(found["title"] or "(gone)")
        table.add_row(found["id"], title, str(found["given"]), str(found["used"]), note)
    console().print(table)
