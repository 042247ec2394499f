"""One memory as a person wants to read it."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.panel import Panel
from rich.text import Text

from recollect.cli.output import COLOURS, label, safe
from recollect.records.anchors import Verdict
from recollect.records.categories import SHAPES
from recollect.records.display import safe_text
from recollect.records.json_format import Json
from recollect.records.record import Memory, Status
from recollect.records.store import Stored

_VERDICT_COLOURS = {Verdict.FRESH: "green", Verdict.DRIFTED: "yellow", Verdict.ORPHANED: "red"}


def sheet(stored: Stored, verdicts: Sequence[tuple[str, Verdict]]) -> Panel:
    """The memory in a frame: head, content, links, anchors, history."""
    memory = stored.memory
    parts: list[RenderableType] = [Text.from_markup(line) for line in _head(stored)]
    content = memory.content
    names = [field.name for field in SHAPES[memory.category].fields]
    for name in [*names, *(name for name in content if name not in names)]:
        if name in content and content[name] not in (None, [], {}):
            parts += _section(name, content[name])
    if memory.links:
        parts.append(Text.from_markup("\n[bold]links[/]"))
        parts += [
            Text.from_markup(f"  {link.type} {safe(link.target)}{_evidence(link.evidence)}")
            for link in memory.links
        ]
    if verdicts:
        parts.append(Text.from_markup("\n[bold]anchors[/]"))
        parts += [
            Text.from_markup(f"  {safe(path)} [{_VERDICT_COLOURS[verdict]}]{verdict}[/]")
            for path, verdict in verdicts
        ]
    parts += _history(memory)
    title = f"{label(memory.category.value)} {safe(memory.title)}"
    return Panel(
        Group(*parts), title=title, title_align="left", border_style=COLOURS[memory.category.value]
    )


def _evidence(text: str | None) -> str:
    return f" [dim]({safe(text)})[/]" if text else ""


def _head(stored: Stored) -> Iterator[str]:
    memory = stored.memory
    yield f"[dim]{safe(stored.path)}  version {stored.digest[:12]}[/]"
    tags = " ".join(f"[italic]#{safe(tag)}[/]" for tag in memory.tags)
    yield f"{_standing(memory)}  {tags}"
    yield f"[dim]written {_day(memory.created_at)}, changed {_day(memory.updated_at)}[/]"
    if memory.related_files:
        yield f"[dim]about {safe(', '.join(memory.related_files))}[/]"


def _standing(memory: Memory) -> str:
    if memory.valid_to is not None:
        return f"[yellow]superseded[/] [dim]valid until {_day(memory.valid_to)}[/]"
    colour = "green" if memory.status is Status.ACTIVE else "yellow"
    return f"[{colour}]{memory.status.value}[/]"


def _day(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d}"


def _section(name: str, value: Json) -> list[RenderableType]:
    heading = Text.from_markup(f"\n[bold]{safe(name.replace('_', ' '))}[/]")
    return [heading, *(Text.from_markup(line) for line in _lines(value))]


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
    else:
        for line in str(value).splitlines():
            yield indent + escape(safe_text(line))


def _history(memory: Memory) -> list[RenderableType]:
    rows = memory.rows("changes")[-5:]
    if not rows:
        return []
    lines = [
        f"  [dim]{safe(str(row.get('date')))[:10]}[/] {safe(str(row.get('summary')))}" for row in rows
    ]
    return [Text.from_markup("\n[bold]history[/]"), *(Text.from_markup(line) for line in lines)]
