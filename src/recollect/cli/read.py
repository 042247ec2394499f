"""`list` and `show`: read memories."""

import sys
from collections.abc import Iterable
from datetime import datetime
from typing import Annotated

import typer

from recollect.cli.choices import choice_option
from recollect.cli.command import command
from recollect.cli.context import JsonFlag, UserFlag, opened
from recollect.cli.fields import STATUSES, category_named
from recollect.cli.memory_table import Column, show_table
from recollect.cli.output import counted, label, print_json, safe, say, warn
from recollect.cli.progress import progress
from recollect.errors import RefusedError
from recollect.records.categories import Category
from recollect.retrieval.documents import force_of_document
from recollect.retrieval.index import Document, Filters
from recollect.views.memories import ListOutput, ShowOutput, memory_row, show_output

SHOWN_TO_PEOPLE = 50
_COLUMNS = (
    Column("category", "fixed"),
    Column("id", "id"),
    Column("title", "text"),
    Column("tags", "extra"),
    Column("updated", "fixed"),
)

app = typer.Typer()


@command(
    app,
    "list",
    "recollect list",
    "recollect list -c decision --tag auth",
    "recollect list --status retired --all",
    "recollect list --limit 20 --offset 20 --json",
    output=ListOutput,
)
def list_(
    context: typer.Context,
    category: Annotated[
        str | None,
        choice_option(Category, "--category", "-c", metavar="CATEGORY", help="Only this category."),
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="Only with this tag; repeatable.")
    ] = None,
    status: Annotated[
        str, choice_option(STATUSES, "--status", metavar="STATUS", help="Only with this status.")
    ] = "active",
    limit: Annotated[
        int | None,
        typer.Option(
            min=0, metavar="N", help="How many memories to show; 0 shows all. [50 on a terminal]"
        ),
    ] = None,
    offset: Annotated[
        int, typer.Option(min=0, metavar="N", help="Skip this many memories, to see the next page.")
    ] = 0,
    show_all: Annotated[bool, typer.Option("--all", help="Show all, as --limit 0 does.")] = False,
    user: UserFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """List memories, the most recently changed first."""
    recollect = opened(context, user=user)
    filters = _filters(category, status)
    if limit is None and not as_json and sys.stdout.isatty():
        limit = SHOWN_TO_PEOPLE
    with progress("Reading memories") as report:
        listing = recollect.listing(
            filters,
            tag or [],
            report,
            offset=offset,
            limit=None if show_all else limit or None,
        )
    documents, total = listing.page.documents, listing.page.total
    if as_json:
        rows = [memory_row(document, recollect.now) for document in documents]
        out: ListOutput = {"count": len(rows), "total": total, "offset": offset, "memories": rows}
        print_json(out)
    else:
        _table(documents, recollect.now)
        _say_rest(offset + len(documents), total, empty=not listing.memories)
    if listing.unreadable:
        files = counted(listing.unreadable, "file")
        warn(f"[yellow]{files} could not be read;[/] `recollect doctor` shows which and why.")


def _filters(category: str | None, status: str) -> Filters:
    if status not in STATUSES:
        raise RefusedError(f"unknown status {status!r}; choose one of {', '.join(STATUSES)}.")
    categories = {category_named(category).value} if category else set()
    statuses = set() if status == "all" else {status}
    return Filters(categories=frozenset(categories), statuses=frozenset(statuses))


def _table(documents: Iterable[Document], now: datetime) -> None:
    show_table(_COLUMNS, [_row(document, now) for document in documents])


def _row(document: Document, now: datetime) -> tuple[str, ...]:
    title = safe(document.title)
    if mark := force_of_document(document).label(now):
        title += f" [dim]({mark})[/]"
    return (
        label(document.category),
        document.id.removeprefix("mem:"),
        title,
        f"[dim]{safe(', '.join(document.tags))}[/]",
        (document.updated_at or document.created_at)[:10],
    )


def _say_rest(seen: int, total: int, *, empty: bool) -> None:
    if empty:
        say("[dim]No memories yet; `recollect save` adds the first one.[/]")
    elif not total:
        say("[dim]No memories match.[/]")
    elif total > seen:
        say(
            f"[dim]... and {total - seen} more; --offset {seen} shows the next ones, --all shows all.[/]"
        )


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
    user: UserFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Show one memory in full.

    Includes its links, the state of its anchors, its version and its history. For a skill: its purpose, its
    links and its file.
    """
    recollect = opened(context, user=user)
    if id.startswith("skill:"):
        from recollect.cli import skill_page

        skill_page.show(recollect, id, as_json=as_json)
        return
    stored = recollect.get(id)
    verdicts, force = recollect.verdicts(stored.memory), recollect.force(stored.memory)
    if as_json:
        print_json(show_output(stored, verdicts, force, recollect.now))
        return
    from recollect.cli import memory_page

    memory_page.show(stored.memory, memory_page.sheet(stored, verdicts, force, recollect.now))
