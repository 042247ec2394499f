"""`list` and `show`: read memories."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Annotated

import typer

from recollect.cli.command import command
from recollect.cli.context import JsonFlag, UserFlag, chosen, opened
from recollect.cli.fields import category_named
from recollect.cli.output import console, counted, draw, label, print_json, progress, safe, say, warn
from recollect.errors import RefusedError
from recollect.records.in_force import Force, force_of
from recollect.records.links import successors
from recollect.records.record import Status
from recollect.records.store import Stored
from recollect.views.memories import ListOutput, ShowOutput, memory_row, show_output

SHOWN_TO_PEOPLE = 50

app = typer.Typer()


@command(
    app,
    "list",
    "recollect list",
    "recollect list -c decision --tag auth",
    "recollect list --status retired --limit 0",
    "recollect list --limit 20 --json",
    output=ListOutput,
)
def list_(
    context: typer.Context,
    category: Annotated[
        str | None, typer.Option("--category", "-c", metavar="CATEGORY", help="Only this category.")
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="Only with this tag; repeatable.")
    ] = None,
    status: Annotated[
        str, typer.Option(metavar="STATUS", help="active, retired, archived or all.")
    ] = "active",
    limit: Annotated[
        int | None,
        typer.Option(
            min=0, metavar="N", help="The most memories to show; 0 shows all. [50 on a terminal]"
        ),
    ] = None,
    user: UserFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """List memories, the most recently changed first."""
    recollect = opened(context)
    memories = chosen(recollect, user=user)
    wanted = _filter(category, tag or [], status)
    with progress("Reading memories") as report:
        scan = memories.scan(report)
    by_id = sorted(filter(wanted, scan.stored), key=lambda stored: stored.memory.id)
    matching = sorted(by_id, key=lambda stored: stored.memory.updated_at, reverse=True)
    if limit is None:
        limit = 0 if as_json else SHOWN_TO_PEOPLE
    newer = successors(stored.memory for stored in scan.stored)
    shown = [
        (stored, force_of(stored.memory, newer.get(stored.memory.id, ())))
        for stored in (matching[:limit] if limit else matching)
    ]
    if as_json:
        rows = [memory_row(stored, force, recollect.now) for stored, force in shown]
        out: ListOutput = {"count": len(rows), "total": len(matching), "memories": rows}
        print_json(out)
    else:
        _table(shown, recollect.now)
        _say_rest(len(shown), len(matching), empty=not scan.stored)
    if scan.broken:
        files = counted(len(scan.broken), "file")
        warn(f"[yellow]{files} could not be read;[/] `recollect doctor` shows which and why.")


def _filter(category: str | None, tags: list[str], status: str) -> Callable[[Stored], bool]:
    kind = category_named(category) if category else None
    if status not in (*Status, "all"):
        raise RefusedError(f"there is no status {status!r}; there are {', '.join(Status)} and all.")

    def wanted(stored: Stored) -> bool:
        memory = stored.memory
        return (
            (kind is None or memory.category is kind)
            and status in ("all", memory.status.value)
            and set(tags) <= set(memory.tags)
        )

    return wanted


def _table(shown: Iterable[tuple[Stored, Force]], now: datetime) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("category", "id", "title", "tags", "updated"):
        table.add_column(name, overflow="fold", no_wrap=name in ("category", "updated"))
    for stored, force in shown:
        memory = stored.memory
        title = safe(memory.title)
        if mark := force.label(now):
            title += f" [dim]({mark})[/]"
        table.add_row(
            label(memory.category.value),
            memory.id,
            title,
            f"[dim]{safe(', '.join(memory.tags))}[/]",
            f"{memory.updated_at:%Y-%m-%d}",
        )
    if table.row_count:
        draw(table)


def _say_rest(shown: int, total: int, *, empty: bool) -> None:
    if empty:
        say("[dim]No memories yet; `recollect save` adds the first one.[/]")
    elif not total:
        say("[dim]No memories match.[/]")
    elif total > shown:
        say(f"[dim]... and {total - shown} more; --limit 0 shows all.[/]")


@command(
    app,
    "show",
    "recollect show jwt-over-cookies",
    "recollect show jwt-over-cookies --json",
    "recollect show skill:deploy                   (a page of a skill, and its links)",
    output=ShowOutput,
)
def show(
    context: typer.Context,
    id: Annotated[str, typer.Argument(metavar="ID", help="The memory to show, or skill:name.")],
    as_json: JsonFlag = False,
) -> None:
    """Show one memory in full.

    Includes its links, the state of its anchors, its version and its history. For a skill: its purpose, its
    links and its file.
    """
    recollect = opened(context)
    if id.startswith("skill:"):
        from recollect.cli import skill_page

        skill_page.show(recollect, id, as_json=as_json)
        return
    stored = recollect.get(id)
    verdicts, force = recollect.verdicts(stored.memory), recollect.force(stored.memory)
    if as_json:
        print_json(show_output(stored, verdicts, force, recollect.now))
        return
    from recollect.cli.memory_page import sheet

    console().print(sheet(stored, verdicts, force, recollect.now))
