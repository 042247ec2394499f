"""`search`: find memories."""

import os
import time
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from recollect import paths
from recollect.cli.choices import choice_option
from recollect.cli.command import command
from recollect.cli.context import JsonFlag, Start, UserFlag, opened
from recollect.cli.fields import STATUSES, category_named
from recollect.cli.output import hint, print_json, safe
from recollect.cli.progress import progress
from recollect.cli.search_options import file_of, moment_of, one_of, statuses_of, text_of
from recollect.cli.search_output import show, show_prompted
from recollect.errors import RefusedError
from recollect.records.categories import Category
from recollect.retrieval.fusion import SEARCH_LIMIT
from recollect.retrieval.index import Filters
from recollect.retrieval.request import Request
from recollect.views.memories import SearchOutput, hit_row, search_output

if TYPE_CHECKING:
    from recollect.app.project import Recollect

STRATEGIES = ("fts5_bm25", "hybrid", "title_tags")
_MODES = ("search", "auto")

app = typer.Typer()


@command(
    app,
    "search",
    "recollect search 'why do we sign tokens'",
    "recollect search deadlock -c runbook --limit 3",
    "recollect search queue --as-of 2026-03-01        (what was valid then)",
    "recollect search 'fix the login' --mode auto     (what a prompt would get)",
    "recollect search - < build.log                   (a text of any length)",
    "recollect search auth --explain --json",
    "recollect search 'flaky login test' --sessions   (past sessions, not memories)",
    output=SearchOutput,
)
def search(
    context: typer.Context,
    query: Annotated[
        list[str],
        typer.Argument(help="Words, a question, or a pasted error; - reads standard input."),
    ],
    mode: Annotated[
        str, choice_option(_MODES, "--mode", metavar="MODE", help="auto shows what a prompt would get.")
    ] = "search",
    limit: Annotated[
        int | None, typer.Option(min=1, help=f"How many hits to show. [{SEARCH_LIMIT}]")
    ] = None,
    offset: Annotated[
        int | None, typer.Option(min=0, help="Hits to skip, for the next page. [0]")
    ] = None,
    category: Annotated[
        list[str] | None,
        choice_option(
            Category, "--category", "-c", metavar="CATEGORY", help="Only this category; repeatable."
        ),
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", help="Only with this tag; repeatable.")
    ] = None,
    status: Annotated[
        str, choice_option(STATUSES, "--status", metavar="STATUS", help="Only with this status.")
    ] = "active",
    file: Annotated[str | None, typer.Option("--file", help="Only memories about this file.")] = None,
    since: Annotated[str | None, typer.Option(help="Changed on or after this date or commit.")] = None,
    until: Annotated[str | None, typer.Option(help="Changed on or before this date or commit.")] = None,
    as_of: Annotated[
        str | None, typer.Option("--as-of", help="What was valid at this date or commit.")
    ] = None,
    strategy: Annotated[
        str | None,
        choice_option(
            STRATEGIES, "--strategy", metavar="NAME", help="How to match. Default: the best available."
        ),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show how each score was computed.")
    ] = False,
    rerank: Annotated[
        bool,
        typer.Option("--rerank", help="Let the installed reranker order the best hits, as servers do."),
    ] = False,
    sessions: Annotated[
        bool, typer.Option("--sessions", help="Search past sessions instead of memories.")
    ] = False,
    user: UserFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Find memories.

    Searches by words, by meaning (when a model is installed) and by file, and merges the results.
    `--mode auto` shows exactly what a prompt would get, which may be nothing. `--sessions` searches what was
    said and done in past sessions (`recollect import transcripts`), which no prompt gets.
    """
    recollect = opened(context, user=user)
    if sessions:
        others = (category, tag, file, since, until, as_of, strategy)
        if any(others) or explain or rerank or mode != "search" or status != "active":
            raise RefusedError("--sessions can only be combined with --limit, --offset and --json.")
        from recollect.cli.search_sessions import search_sessions

        page = (limit or SEARCH_LIMIT, offset or 0)
        search_sessions(recollect, text_of(query), *page, as_json=as_json)
        return
    mode = one_of(mode, _MODES, "mode")
    if mode == "auto" and (limit, offset) != (None, None):
        raise RefusedError(
            "--limit and --offset cannot be combined with --mode auto, because a prompt has no pages."
        )
    if rerank and mode == "auto":
        raise RefusedError(
            "--rerank cannot be combined with --mode auto, because only a server reranks for prompts."
        )
    if rerank:
        recollect.use_reranker(paths.user_config(os.environ))
    start: Start = context.obj
    filters = Filters(
        categories=frozenset(category_named(name).value for name in category or ()),
        tags=frozenset(name.strip().removeprefix("#") for name in tag or ()),
        statuses=statuses_of(status),
        file=None if file is None else file_of(recollect.folder, start.folder, file),
        since=moment_of(recollect, "--since", since),
        until=moment_of(recollect, "--until", until, end_of_day=True),
        as_of=moment_of(recollect, "--as-of", as_of, end_of_day=True),
    )
    by = None if strategy is None else one_of(strategy, STRATEGIES, "strategy")
    page = limit or SEARCH_LIMIT, offset or 0
    request = Request(text_of(query), cast("Any", mode), filters, cast("Any", by), *page)
    _answer(recollect, request, explain=explain, as_json=as_json)


def _answer(recollect: "Recollect", request: Request, *, explain: bool, as_json: bool) -> None:
    from recollect.app.search import NOT_CONTAINED
    from recollect.cli.prompt_preview import prompted  # the hook's modules, which few commands need
    from recollect.hook.process import record_latency

    with progress("Reading memories") as report:
        preview = prompted(recollect, request, report) if request.mode == "auto" else None
        started = time.perf_counter()
        result = recollect.find(request, report) if preview is None else preview.result
        if preview is None:
            seconds = time.perf_counter() - started
            record_latency(str(recollect.state_folder), "cli search", seconds)
    rows = [
        hit_row(
            hit,
            result,
            recollect.now,
            drifted=recollect.drifted(hit),
            explain=explain,
            overdue=recollect.overdue(hit.document),
        )
        for hit in result.answer.hits
    ]
    if as_json:
        out = search_output(request.text, result, rows)
        if preview is not None:
            if preview.by:
                out["answered_by"] = preview.by
            if preview.silence:
                out["silence"] = preview.silence
        print_json(out)
        return
    if preview is None:
        show(result, rows, request)
    else:
        show_prompted(preview, rows)
    for note in result.notes:
        if note != NOT_CONTAINED:  # said above the hits
            hint(safe(note))
