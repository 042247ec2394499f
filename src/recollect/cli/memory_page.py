"""One memory as a person wants to read it."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from rich.console import Group
from rich.markup import escape
from rich.panel import Panel
from rich.text import Text

from recollect.cli.output import colour, console, label, markup, safe, say_text
from recollect.records.anchors import AnchorState
from recollect.records.categories import SHAPES
from recollect.records.display import safe_text
from recollect.records.in_force import Force
from recollect.records.json_format import Json
from recollect.records.record import Anchor, Memory, Status
from recollect.records.store import Stored

_FRAME = 4  # columns of a frame and its padding
_VERDICT_COLOURS = {
    AnchorState.FRESH: "green",
    AnchorState.DRIFTED: "yellow",
    AnchorState.ORPHANED: "red",
}


def sheet(
    stored: Stored, verdicts: Sequence[tuple[str, AnchorState]], force: Force, now: datetime
) -> list[Text]:
    """The memory's title, and below it head, content, links, anchors and history."""
    memory = stored.memory
    parts: list[Text] = [markup(line) for line in _head(stored, force, now)]
    content = memory.content
    names = [field.name for field in SHAPES[memory.category].fields]
    for name in [*names, *(name for name in content if name not in names)]:
        if name in content and content[name] not in (None, [], {}):
            parts += _section(name, content[name])
    if memory.links:
        parts.append(markup("\n[bold]links[/]"))
        parts += [
            markup(f"  {link.type} {safe(link.target)}{_evidence(link.evidence)}")
            for link in memory.links
        ]
    if verdicts:
        parts.append(markup("\n[bold]anchors[/]"))
        parts += [
            markup(f"  {_place(anchor)} [{_VERDICT_COLOURS[verdict]}]{verdict}[/]")
            for anchor, (_, verdict) in zip(memory.anchors, verdicts, strict=True)
        ]
    parts += _history(memory)
    return [markup(f"{label(memory.category.value)} {safe(memory.title)}"), *parts]


def show(memory: Memory, parts: Sequence[Text]) -> None:
    """Print the parts in a frame, or without one where it would break an id or a path."""
    terminal = console()
    title, *body = parts
    words = [word for part in body for word in part.plain.split()]
    if max(map(len, words)) > terminal.width - _FRAME:
        for part in parts:
            say_text(part)
        return
    shown = Panel(
        Group(*body),
        title=title,
        title_align="left",
        border_style=colour(memory.category.value),
    )
    terminal.print(shown)


def _place(anchor: Anchor) -> str:
    if anchor.lines is None:
        return safe(anchor.path)
    first, last = anchor.lines
    return f"{safe(anchor.path)}:{first}" + (f"-{last}" if last > first else "")


def _evidence(text: str | None) -> str:
    return f" [dim]({safe(text)})[/]" if text else ""


def _head(stored: Stored, force: Force, now: datetime) -> Iterator[str]:
    memory = stored.memory
    yield f"[dim]{safe(stored.path)}[/]"
    tags = " ".join(f"[italic]#{safe(tag)}[/]" for tag in memory.tags)
    yield f"{_standing(memory, force, now)}  {tags}"
    times = f"written {_day(memory.created_at)}, changed {_day(memory.updated_at)}"
    yield f"[dim]{times}, version {stored.digest[:12]}[/]"
    yield from _origin(memory)
    if memory.related_files:
        yield f"[dim]about {safe(', '.join(memory.related_files))}[/]"


def _standing(memory: Memory, force: Force, now: datetime) -> str:
    if memory.status is not Status.ACTIVE:
        return f"[yellow]{memory.status.value}[/]{_evidence(_reason(memory))}"
    if reason := force.reason(now):
        return f"[yellow]not in force: {safe(reason)}[/]"
    limit = force.label(now)
    return "[green]active[/]" + (f", [dim]{limit}[/]" if limit else "")


def _reason(memory: Memory) -> str | None:
    reason = memory.document.get(f"{memory.status.value}_reason")
    return reason if isinstance(reason, str) else None


def _origin(memory: Memory) -> Iterator[str]:
    """How sure the writer was and who it was, if the record says so."""
    source = memory.source
    parts = [f"confidence {memory.confidence:g}"] if memory.confidence is not None else []
    parts += [f"{name} {safe(str(source[name]))}" for name in ("session", "origin") if source.get(name)]
    if source.get("kind"):
        parts.insert(0, f"written by {safe(str(source['kind']))}")
    if parts:
        yield f"[dim]{', '.join(parts)}[/]"


def _day(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d}"


def _section(name: str, value: Json) -> list[Text]:
    heading = markup(f"\n[bold]{safe(name.replace('_', ' '))}[/]")
    return [heading, *(markup(line) for line in _lines(value))]


def _lines(value: Json, indent: str = "  ") -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            first, *rest = [*_lines(item, "")] or [""]
            yield f"{indent}• {first}"
            yield from (f"{indent}  {line}" for line in rest)
    elif isinstance(value, dict):
        for key, item in value.items():
            lines = [*_lines(item, "")] or [""]
            yield f"{indent}[dim]{safe(key.replace('_', ' '))}:[/] {lines[0]}"
            yield from (f"{indent}  {line}" for line in lines[1:])
    elif isinstance(value, bool):
        yield indent + ("yes" if value else "no")
    else:
        for line in str(value).splitlines():
            yield indent + escape(safe_text(line))


def _history(memory: Memory) -> list[Text]:
    rows = memory.rows("changes")[-5:]
    if not rows:
        return []
    lines = [
        f"  [dim]{safe(str(row.get('date')))[:10]}[/] {safe(str(row.get('summary')))}" for row in rows
    ]
    return [markup("\n[bold]history[/]"), *(markup(line) for line in lines)]
