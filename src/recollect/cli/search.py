"""`search`: which memories matter now."""

from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from recollect.cli import wire
from recollect.cli.command import command
from recollect.cli.context import JsonFlag, opened
from recollect.cli.fields import category_named
from recollect.cli.output import label, print_json, progress, safe, safe_piece, say, warn
from recollect.errors import RefusedError
from recollect.ids import as_skill
from recollect.records.record import Status
from recollect.retrieval.index import Filters
from recollect.retrieval.request import Found, Request
from recollect.retrieval.search import Hit
from recollect.retrieval.snippet import snippet, spans

if TYPE_CHECKING:
    from recollect.app import Recollect


def register(app: typer.Typer) -> None:
    command(
        app,
        "search",
        "recollect search 'why do we sign tokens'",
        "recollect search deadlock -c runbook --limit 3",
        "recollect search queue --as-of 2026-03-01        (what held then)",
        "recollect search 'fix the login' --mode auto     (what a prompt would be given)",
        "recollect search auth --explain --json",
    )(search)


def search(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="Words, a question, or a pasted error.")],
    mode: Annotated[
        str, typer.Option(help="search, or auto: what a prompt would be given.")
    ] = "search",
    limit: Annotated[int, typer.Option(min=1, help="At most this many.")] = 10,
    offset: Annotated[int, typer.Option(min=0, help="Skip this many, for the next page.")] = 0,
    category: Annotated[
        list[str] | None, typer.Option("--category", "-c", help="Only this kind; repeat.")
    ] = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", help="Only with this tag; repeat.")] = None,
    status: Annotated[str, typer.Option(help="active, retired, archived or all.")] = "active",
    file: Annotated[str | None, typer.Option("--file", help="Only about this file.")] = None,
    since: Annotated[str | None, typer.Option(help="Changed on this day or later.")] = None,
    until: Annotated[str | None, typer.Option(help="Changed on this day or before.")] = None,
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
    _check(mode, ("search", "auto"), "mode")
    _check(strategy, ("fts5_bm25", "hybrid", "title_tags", None), "strategy")
    filters = Filters(
        categories=frozenset(category_named(name).value for name in category or ()),
        tags=frozenset(tag or ()),
        statuses=_statuses(status),
        file=None if file is None else file.removeprefix("./"),
        since=recollect.moment(since),
        until=recollect.moment(until, end_of_day=True),
        as_of=recollect.moment(as_of, end_of_day=True),
    )
    request = Request(query, cast("Any", mode), filters, cast("Any", strategy), limit, offset)
    with progress("Reading memories") as report:
        found = recollect.find(request, report)
    rows = [_row(recollect, hit, found, explain=explain) for hit in found.answer.hits]
    if as_json:
        print_json(_output(query, found, rows))
    else:
        _show(found, rows, query, offset)
        for note in found.notes:
            warn(f"[dim]{safe(note)}[/]")


def _check(given: str | None, known: tuple[str | None, ...], what: str) -> None:
    if given not in known:
        names = ", ".join(name for name in known if name)
        raise RefusedError(f"there is no {what} {given!r}; there are {names}.")


def _statuses(status: str) -> frozenset[str]:
    _check(status, (*Status, "all"), "status")
    return frozenset(Status) if status == "all" else frozenset({status})


def _row(recollect: "Recollect", hit: Hit, found: Found, *, explain: bool) -> wire.FoundMemory:
    document = hit.document
    skill = as_skill(document.id) is not None
    row: wire.FoundMemory = {
        "id": document.id.removeprefix("mem:"),
        "title": document.title,
        "category": document.category,
        "path": document.path,
        "status": None if skill else document.status,
        "tags": list(document.tags),
        "updated_at": None if skill else document.updated_at or document.created_at,
        "score": round(hit.score, 6),
        "snippet": snippet(document.body, found.matches),
        "drifted": recollect.drifted(hit),
        "superseded": document.valid_to is not None,
    }
    if explain:
        row["explanation"] = hit.explanation.as_json()
    return row


def _output(query: str, found: Found, rows: list[wire.FoundMemory]) -> wire.SearchOutput:
    out: wire.SearchOutput = {
        "query": query,
        "count": len(rows),
        "total": found.answer.total,
        "strategy": found.strategy,
        "hits": rows,
        "notes": list(found.notes),
    }
    if (verdict := found.answer.verdict) is not None:
        out["gate"] = {
            "passed": verdict.passed,
            "probability": round(verdict.probability, 6),
            "threshold": verdict.threshold,
        }
    return out


def _show(found: Found, rows: list[wire.FoundMemory], query: str, offset: int) -> None:
    verdict = found.answer.verdict
    if verdict is not None and not verdict.passed:
        say(
            f"[dim]A prompt would be given nothing: the best of {found.answer.total} is worth it with "
            f"probability {verdict.probability:.2f}, and {verdict.threshold:.2f} is needed.[/]"
        )
        return
    if not rows:
        say(f"[dim]Nothing found for {safe(repr(query))}.[/]")
        return
    for number, row in enumerate(rows, start=offset + 1):
        _show_hit(number, row, found)
    if (left := found.answer.total - offset - len(rows)) > 0 and verdict is None:
        say(f"[dim]{left} more; --offset {offset + len(rows)} shows them.[/]")


def _show_hit(number: int, row: wire.FoundMemory, found: Found) -> None:
    marks = "".join(
        f" [yellow]({name})[/]"
        for name, there in (("superseded", row["superseded"]), ("drifted", row["drifted"]))
        if there
    )
    say(
        f"{number}. {label(row['category'])} [bold]{safe(row['title'])}[/]{marks} [dim]{row['score']:.2f}[/]"
    )
    tags = " ".join(f"#{safe(tag)}" for tag in row["tags"])
    told = (tags, (row["updated_at"] or "")[:10], safe(row["path"]))
    say(f"   [dim]{'  '.join(part for part in told if part)}[/]")
    if row["snippet"]:
        say(f"   {_highlighted(row['snippet'], found)}")
    for line in _explained(row.get("explanation")):
        say(f"   [dim]{line}[/]")


def _highlighted(text: str, found: Found) -> str:
    parts, last = [], 0
    for start, end in spans(text, found.matches):
        parts += [safe_piece(text[last:start]), f"[bold green]{safe_piece(text[start:end])}[/]"]
        last = end
    return "".join([*parts, safe_piece(text[last:])])


def _explained(told: dict[str, Any] | None) -> list[str]:
    if told is None:
        return []
    lines = [
        f"{part['channel']:<8} rank {part['rank']:>3}  {part['scaled']:.3f} x {part['weight']:.2f}"
        f" = {part['share']:.3f}"
        for part in told["channels"]
    ]
    factors = f"/ {told['scale']:.2f}"
    for name, value in (("convergence", told["convergence"]), ("boost", told["boost"]["total"])):
        factors += f" x (1 + {name} {value:.2f})" if value else ""
    factors += f" x (1 - faded {told['faded']:.2f})" if told["faded"] else ""
    return [*lines, f"sum {factors} = {told['score']:.3f}"]
