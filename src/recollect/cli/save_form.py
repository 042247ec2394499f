"""The form of `recollect save` on a terminal: it asks for one field at a time."""

from collections.abc import Sequence

from rich.console import Console
from rich.prompt import Confirm, Prompt

from recollect.cli.output import console, safe
from recollect.records.categories import SHAPES, Category
from recollect.records.draft import Draft
from recollect.records.fields import Choice, Field, Flag, Listing, Object, Text
from recollect.records.json_format import Json, JsonObject
from recollect.records.memories import Repeats
from recollect.records.record import TITLE_LENGTH


def ask(tags: Sequence[str] = ()) -> Draft:
    """Ask for every field of a memory; `tags` are given already. Ctrl-C exits without saving.

    The questions go to standard error, so that a redirected output holds the answer only.
    """
    terminal = console(stderr=True)
    category = _ask_category(terminal)
    title = _ask_title(terminal)
    words = [*tags] or _ask_tags(terminal)
    content: JsonObject = {}
    for field in SHAPES[category].fields:
        value = _ask_field(terminal, field)
        if value not in (None, "", []):
            content[field.name] = value
    document: JsonObject = {
        "category": category.value,
        "title": title,
        "tags": list[Json](words),
        "content": content,
    }
    return Draft(document)


def _ask_category(terminal: Console) -> Category:

    for number, (category, shape) in enumerate(SHAPES.items(), start=1):
        terminal.print(f"  [bold]{number}[/] {category.value:<16}[dim]{shape.purpose}[/]")
    numbers = {str(number): category for number, category in enumerate(SHAPES, start=1)}
    words = {category.value: category for category in SHAPES}
    answer = Prompt.ask(
        "What is it?", console=terminal, choices=[*numbers, *words], show_choices=False, default="1"
    )
    return (numbers | words)[answer]


def _ask_title(terminal: Console) -> str:
    while True:
        title = _ask_text(terminal, "Title", "what it says, in one line")
        if len(title) <= TITLE_LENGTH:
            return title
        terminal.print(f"[yellow]{len(title)} characters; the maximum is {TITLE_LENGTH}.[/]")


def _ask_tags(terminal: Console) -> list[str]:
    while True:
        answer = _ask_text(terminal, "Tags", "keywords to find it by, separated by commas")
        if tags := [tag.strip() for tag in answer.split(",") if tag.strip()]:
            return tags
        terminal.print("[yellow]At least one tag is required.[/]")


def _ask_field(terminal: Console, field: Field) -> Json:

    match field.kind:
        case Choice(values):
            prompt = f"[bold]{field.name}[/] [dim]({field.help})[/]"
            return Prompt.ask(prompt, console=terminal, choices=list(values), default=values[0])
        case Flag():
            return Confirm.ask(
                f"[bold]{field.name}[/] [dim]({field.help})[/]", console=terminal, default=True
            )
        case Listing(of=Text()):
            return _ask_lines(terminal, field)
        case Listing() | Object():
            return None  # alternatives and examples are easier in a file: `recollect edit`
        case _:
            return _ask_text(terminal, field.name, field.help, required=field.required)


def _ask_lines(terminal: Console, field: Field) -> Json:
    assert isinstance(field.kind, Listing)
    least = field.kind.min_items if field.required else 0
    terminal.print(f"[bold]{field.name}[/] [dim]({field.help}; one per line, an empty line ends)[/]")
    lines: list[Json] = []
    while True:
        line = terminal.input("  - ").strip()
        if line:
            lines.append(line)
        elif len(lines) >= least:
            return lines
        else:
            terminal.print(f"[yellow]At least {least} is required.[/]")


def _ask_text(terminal: Console, name: str, help: str, *, required: bool = True) -> str:
    hint = help if required else f"{help}; may be empty"
    while True:
        answer = terminal.input(f"[bold]{name}[/] [dim]({hint})[/]: ").strip()
        if answer or not required:
            return answer
        terminal.print("[yellow]This field is required.[/]")


def ask_about_repeat(repeats: "Repeats") -> str:
    """Ask what to do with a memory that says the same as another: `update`, `new` or `cancel`."""
    terminal = console(stderr=True)
    memory = repeats.existing.memory
    how = "exactly" if repeats.exact else f"nearly ({repeats.similarity:.0%} alike)"
    terminal.print(f"[yellow]{memory.id}[/] says this {how}: {safe(memory.title)}")
    return Prompt.ask(
        "Update that memory, save a new one as well, or cancel?",
        console=terminal,
        choices=["update", "new", "cancel"],
        default="update",
    )
