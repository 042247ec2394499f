"""`search`: which memories matter now."""

from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from recollect.cli.command import command
from recollect.cli.context import JsonFlag, Start, opened
from recollect.cli.fields import category_named
from recollect.cli.output import print_json, progress, safe, warn
from recollect.cli.search_options import file_of, moment_of, one_of, statuses_of, text_of
from recollect.cli.search_output import show, show_prompted
from recollect.errors import RefusedError
from recollect.retrieval.cutoff import SEARCH_LIMIT
from recollect.retrieval.index import Filters
from recollect.retrieval.request import Request
from recollect.views.memories import SearchOutput, hit_row, search_output

if TYPE_CHECKING:
    from recollect.app.project import Recollect

STRATEGIES = ("fts5_bm25", "hybrid", "title_tags")


def register(app: typer.Typer) -> None:
    command(
        app,
        "search",
        "recollect search 'why do we sign tokens'",
        "recollect search deadlock -c runbook --limit 3",
        "recollect search queue --as-of 2026-03-01        (what held then)",
        "recollect search 'fix the login' --mode auto     (what a prompt would be given)",
        "recollect search - < build.log                   (a text of any length)",
        "recollect search auth --explain --json",
        output=SearchOutput,
    )(search)


def search(
    context: typer.Context,
    query: Annotated[
        list[str],
        typer.Argument(help="Words, a question, or a pasted error; - reads standard input."),
    ],
    mode: Annotated[
        str, typer.Option(help="search, or auto: what a prompt would be given.")
    ] = "search",
    limit: Annotated[
        int | None, typer.Option(min=1, help=f"At most this many. [{SEARCH_LIMIT}]")
    ] = None,
    offset: Annotated[
        int | None, typer.Option(min=0, help="Skip this many, for the next page. [0]")
    ] = None,
    category: Annotated[
        list[str] | None, typer.Option("--category", "-c", help="Only this kind; repeat.")
    ] = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", help="Only with this tag; repeat.")] = None,
    status: Annotated[str, typer.Option(help="active, retired, archived or all.")] = "active",
    file: Annotated[str | None, typer.Option("--file", help="Only about this file.")] = None,
    since: Annotated[str | None, typer.Option(help="Changed at this date or commit, or later.")] = None,
    until: Annotated[
        str | None, typer.Option(help="Changed at this date or commit, or before.")
    ] = None,
    as_of: Annotated[
        str | None, typer.Option("--as-of", help="What held at this date or commit.")
    ] = None,
    strategy: Annotated[
        str | None, typer.Option(help="fts5_bm25, hybrid or title_tags. [the best installed]")
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show how each score came about.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Find memories.

    Words, meaning (when a model is installed) and files are searched and joined. `--mode auto` gives
    exactly what a prompt would be given, which may be nothing.
    """
    recollect = opened(context)
    mode = one_of(mode, ("search", "auto"), "mode")
    if mode == "auto" and (limit, offset) != (None, None):
        raise RefusedError("--limit and --offset are for pages, and what a prompt is given has none.")
    start: Start = context.obj
    filters = Filters(
        categories=frozenset(category_named(name).value for name in category or ()),
        tags=frozenset(name.strip().removeprefix("#") for name in tag or ()),
        statuses=statuses_of(status),
        file=None if file is None else file_of(recollect.project.folder, start.folder, file),
        since=moment_of(recollect, "--since", since),
        until=moment_of(recollect, "--until", until, end_of_day=True),
        as_of=moment_of(recollect, "--as-of", as_of, end_of_day=True),
    )
    by = None if strategy is None else one_of(strategy, STRATEGIES, "strategy")
    page = limit or SEARCH_LIMIT, offset or 0
    request = Request(text_of(query), cast("Any", mode), filters, cast("Any", by), *page)
    _answer(recollect, request, explain=explain, as_json=as_json)


def _answer(recollect: "Recollect", request: Request, *, explain: bool, as_json: bool) -> None:
    from recollect.cli.prompt_preview import prompted  # the hook's modules, which few commands need

    with progress("Reading memories") as report:
        told = prompted(recollect, request, report) if request.mode == "auto" else None
        found = recollect.find(request, report) if told is None else told.found
    rows = [
        hit_row(hit, found, recollect.now, drifted=recollect.drifted(hit), explain=explain)
        for hit in found.answer.hits
    ]
    if as_json:
        out = search_output(request.text, found, rows)
        if told is not None:
            if told.by:
                out["answered_by"] = told.by
            if told.silence:
                out["silence"] = told.silence
        print_json(out)
        return
    if told is None:
        show(found, rows, request)
    else:
        show_prompted(told, rows)
    for note in found.notes:
        warn(f"[dim]{safe(note)}[/]")
