"""What was found, as a person sees it."""

from typing import TYPE_CHECKING, Any

from recollect.cli.output import counted, label, safe, safe_piece, say
from recollect.retrieval.request import Request, SearchResult
from recollect.retrieval.snippet import spans
from recollect.views.memories import HitRow

if TYPE_CHECKING:
    from recollect.cli.prompt_preview import PromptPreview

_ECHOED = 80  # characters of a query that are said again


def show(found: SearchResult, rows: list[HitRow], request: Request) -> None:
    """Show a page of what was found, and what is left."""
    total, offset = found.answer.total, request.offset
    if not rows:
        say(f"[dim]{_none(request.text, total, offset)}[/]")
        return
    _show_hits(found, rows, offset)
    if (left := total - offset - len(rows)) > 0:
        say(f"[dim]{left} more; --offset {offset + len(rows)} shows them.[/]")


def show_prompted(told: "PromptPreview", rows: list[HitRow]) -> None:
    """Show what a prompt would be given, or why nothing, and who would answer it."""
    _show_hits(told.found, rows, 0)
    if told.silence:
        say(f"[dim]A prompt would be given nothing: {told.silence}.[/]")
    elif held := told.found.withheld:
        say(f"[dim]{counted(held, 'more hit')} would not be given: the code has changed since.[/]")
    if told.by:
        say(f"[dim]{_answered(told)}[/]")


def _none(query: str, total: int, offset: int) -> str:
    if total:
        return f"{counted(total, 'hit')} in all; --offset {offset} is past the last."
    cut = query if len(query) <= _ECHOED else query[:_ECHOED] + "..."
    return f"Nothing found for {safe(repr(cut))}."


def _answered(told: "PromptPreview") -> str:
    door = "the running server" if told.by == "server" else "the hook by itself"
    if told.found.strategy == told.usual:
        return f"Searched with {told.usual}, as {door} would."
    return f"Searched with {told.found.strategy}; {door} would search with {told.usual}."


def _show_hits(found: SearchResult, rows: list[HitRow], offset: int) -> None:
    for number, row in enumerate(rows, start=offset + 1):
        _show_hit(number, row, found)


def _show_hit(number: int, row: HitRow, found: SearchResult) -> None:
    marks = "".join(f" [yellow]({mark})[/]" for mark in _marks(row))
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


def _marks(row: HitRow) -> list[str]:
    """What a reader should know before relying on a memory."""
    marks = [row["status"]] if row["status"] not in (None, "active") else []
    marks += ["superseded"] if row["superseded"] else [row["validity"]] if "validity" in row else []
    return [str(mark) for mark in marks] + (["drifted"] if row["drifted"] else [])


def _highlighted(text: str, found: SearchResult) -> str:
    parts, last = [], 0
    for start, end in spans(text, found.matches):
        parts += [safe_piece(text[last:start]), f"[bold green]{safe_piece(text[start:end])}[/]"]
        last = end
    return "".join([*parts, safe_piece(text[last:])])


def _explained(told: dict[str, Any] | None) -> list[str]:
    """Every number behind a score, with digits enough to compute it again."""
    if told is None:
        return []
    lines = [
        f"{part['channel']:<8} rank {part['rank']:>3}  {part['scaled']:.4g} x {part['weight']:.4g}"
        f" = {part['share']:.4g}"
        for part in told["channels"]
    ]
    grows = (
        ("convergence", told["convergence"]),
        ("boost", told["boost"]["total"]),
        ("authority", told["authority"]),
    )
    factors = "".join(f" x (1 + {name} {value:.4g})" for name, value in grows if value)
    factors += f" x (1 - faded {told['faded']:.4g})" if told["faded"] else ""
    return [*lines, f"sum / {told['scale']:.4g}{factors} = {told['score']:.4g}"]
