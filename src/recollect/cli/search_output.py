"""Search results for people."""

from typing import TYPE_CHECKING, Any

from recollect.cli.output import counted, label, safe, safe_piece, say
from recollect.retrieval.request import Request, SearchResult
from recollect.retrieval.snippet import spans
from recollect.views.memories import HitRow

if TYPE_CHECKING:
    from recollect.cli.prompt_preview import PromptPreview

_ECHOED = 80  # characters of a query that the message repeats


def show(result: SearchResult, rows: list[HitRow], request: Request) -> None:
    """Print a page of hits, and how many more there are."""
    total, offset = result.answer.total, request.offset
    if not rows:
        say(f"[dim]{_none(request.text, total, offset)}[/]")
        return
    if result.answer.guessed:
        say("[yellow]No memory contains these words. These are the closest by meaning:[/]")
    _show_hits(result, rows, offset)
    if any("explanation" in row for row in rows):
        say("[dim]Scores compare the hits of one search; they mean nothing across searches.[/]")
    if (left := total - offset - len(rows)) > 0:
        say(f"[dim]{left} more; --offset {offset + len(rows)} shows them.[/]")


def show_prompted(preview: "PromptPreview", rows: list[HitRow]) -> None:
    """Print what a prompt would get, or why it gets nothing, and which process would answer."""
    _show_hits(preview.result, rows, 0)
    if preview.silence:
        say(f"[dim]A prompt would get nothing: {preview.silence}.[/]")
    elif withheld := preview.result.withheld:
        say(f"[dim]{counted(withheld, 'more hit')} withheld: the code has changed since.[/]")
    if preview.by:
        say(f"[dim]{_answered(preview)}[/]")


def _none(query: str, total: int, offset: int) -> str:
    if total:
        return f"{counted(total, 'hit')} in total; --offset {offset} is past the last."
    cut = query if len(query) <= _ECHOED else query[:_ECHOED] + "..."
    return f"No memory matches {safe(repr(cut))}."


def _answered(preview: "PromptPreview") -> str:
    door = "the running server" if preview.by == "server" else "the hook itself"
    if preview.result.strategy == preview.usual:
        return f"Searched with {preview.usual}, as {door} would."
    return f"Searched with {preview.result.strategy}; {door} would search with {preview.usual}."


def _show_hits(result: SearchResult, rows: list[HitRow], offset: int) -> None:
    for number, row in enumerate(rows, start=offset + 1):
        _show_hit(number, row, result)


def _show_hit(number: int, row: HitRow, result: SearchResult) -> None:
    marks = "".join(f" [yellow]({mark})[/]" for mark in map(safe, _marks(row)))
    say(f"{number}. {label(row['category'])} [bold]{safe(row['title'])}[/]{marks}")
    tags = " ".join(f"#{safe(tag)}" for tag in row["tags"])
    details = (tags, (row["updated_at"] or "")[:10], safe(row["path"]))
    say(f"   [dim]{'  '.join(part for part in details if part)}[/]")
    if row["snippet"]:
        say(f"   {_highlighted(row['snippet'], result)}")
    for line in _explained(row.get("explanation")):
        say(f"   [dim]{line}[/]")


def _marks(row: HitRow) -> list[str]:
    """What a reader should know before relying on a memory."""
    limits = (row.get("not_in_force") or row.get("validity"), row.get("overdue"))
    marks = [mark for mark in limits if mark]
    return marks + (["drifted"] if row["drifted"] else [])


def _highlighted(text: str, result: SearchResult) -> str:
    parts, last = [], 0
    for start, end in spans(text, result.matches):
        parts += [safe_piece(text[last:start]), f"[bold green]{safe_piece(text[start:end])}[/]"]
        last = end
    return "".join([*parts, safe_piece(text[last:])])


def _explained(explanation: dict[str, Any] | None) -> list[str]:
    """Every number behind a score, with enough digits to compute it again."""
    if explanation is None:
        return []
    lines = [
        f"{part['channel']:<8} rank {part['rank']:>3}  {part['scaled']:.4g} x {part['weight']:.4g}"
        f" = {part['share']:.4g}"
        for part in explanation["channels"]
    ]
    grows = (
        ("convergence", explanation["convergence"]),
        ("boost", explanation["boost"]["total"]),
        ("authority", explanation["authority"]),
    )
    factors = "".join(f" x (1 + {name} {value:.4g})" for name, value in grows if value)
    factors += f" x (1 - faded {explanation['faded']:.4g})" if explanation["faded"] else ""
    reranked = explanation.get("reranked")
    score = explanation["score"] if reranked is None else _before(explanation)
    lines.append(f"sum / {explanation['scale']:.4g}{factors} = {score:.4g}")
    return lines if reranked is None else [*lines, _reranked(reranked, score, explanation["score"])]


def _before(explanation: dict[str, Any]) -> float:
    """The score that a reranker changed."""
    raised = (1 + explanation["boost"]["total"]) * (1 + explanation["authority"])
    return float(explanation["fused"] * (1 - explanation["faded"]) * raised)


def _reranked(part: dict[str, float], before: float, score: float) -> str:
    own, low, high = part["weight"], part["low"], part["high"]
    opinion = f"({low:.4g} + {part['scaled']:.4g} x {high - low:.4g})"
    return f"reranker {part['raw']:.4g}: {1 - own:.4g} x {before:.4g} + {own:.4g} x {opinion} = {score:.4g}"
