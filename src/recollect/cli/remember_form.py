"""Correcting what a sentence became, on a terminal: one question per field, Enter keeps what is derived."""

from typing import cast

import typer
from rich.console import Console
from rich.prompt import Prompt

from recollect.app.remembering import Remembering
from recollect.cli.fields import category_named
from recollect.cli.output import console, safe
from recollect.cli.remember import show, shown_value
from recollect.records.categories import SHAPES, Category
from recollect.records.fields import Choice, Field, Flag, Listing, Text
from recollect.records.json_format import Json, JsonObject
from recollect.records.memories import Repeats, Saved
from recollect.records.sentence.proposal import Contradicts, Outcome, SentenceProposal

_FROM_A_SENTENCE = [category.value for category in Category if category is not Category.SESSION_SUMMARY]


def confirmed(remembering: Remembering, proposal: SentenceProposal, document: JsonObject) -> JsonObject:
    """The record as a person wants it. Raises Abort when they do not want it at all."""
    terminal = console(stderr=True)
    while True:
        show(document, proposal)
        answer = Prompt.ask(
            "Save it? [bold]y[/]es, [bold]e[/]dit, [bold]n[/]o",
            console=terminal,
            choices=["y", "e", "n"],
            show_choices=False,
            default="y",
        )
        if answer == "y":
            return document
        if answer == "n":
            raise typer.Abort
        document = _edited(terminal, remembering, proposal, document)


def _edited(
    terminal: Console, remembering: Remembering, proposal: SentenceProposal, document: JsonObject
) -> JsonObject:
    category = Prompt.ask(
        "category", console=terminal, choices=_FROM_A_SENTENCE, default=str(document["category"])
    )
    if category != document["category"]:
        again = remembering.propose(proposal.derived.sentence, category_named(category))
        document = {**document, "category": category, "content": again.document["content"]}
    title = _ask(terminal, "title", str(document["title"]))
    tags = _ask(terminal, "tags", ", ".join(cast("list[str]", document["tags"])))
    content = dict(cast("JsonObject", document["content"]))
    for field in SHAPES[Category(category)].fields:
        if field.name in content:
            content[field.name] = _ask_field(terminal, field, content[field.name])
    return {
        **document,
        "title": title,
        "tags": list[Json]([tag.strip() for tag in tags.split(",") if tag.strip()]) or document["tags"],
        "content": content,
    }


def _ask(terminal: Console, name: str, value: str) -> str:
    return Prompt.ask(f"[bold]{name}[/]", console=terminal, default=value).strip() or value


def _ask_field(terminal: Console, field: Field, value: Json) -> Json:
    match field.kind:
        case Choice(values):
            return Prompt.ask(
                f"[bold]{field.name}[/]", console=terminal, choices=list(values), default=str(value)
            )
        case Listing(of=Text()):
            lines = _ask(terminal, f"{field.name}[/] [dim](; between them)", shown_value(value))
            return [line.strip() for line in lines.split(";") if line.strip()]
        case Text():
            return _ask(terminal, field.name, str(value))
        case Flag() | _:
            return value  # `recollect edit` changes tables and flags


def settled(
    remembering: Remembering,
    proposal: SentenceProposal,
    document: JsonObject,
    outcome: Repeats | Contradicts,
) -> Outcome:
    """Ask what becomes of the memory that says the same or the opposite, and do it."""
    terminal = console(stderr=True)
    memory = outcome.existing.memory
    if isinstance(outcome, Contradicts):
        how = f"may say the opposite ({safe(outcome.reason)})"
    else:
        how = (
            "says this exactly"
            if outcome.exact
            else f"says nearly this ({outcome.similarity:.0%} similar)"
        )
    terminal.print(f"[yellow]{memory.id}[/] {how}: {safe(memory.title)}")
    answer = Prompt.ask(
        "Update that memory, replace it with the new one, keep both, or cancel?",
        console=terminal,
        choices=["update", "replace", "both", "cancel"],
        default="replace" if isinstance(outcome, Contradicts) else "update",
    )
    match answer:
        case "update":
            return remembering.update(memory.id, proposal.derived.sentence)
        case "replace":
            link: Json = {"type": "supersedes", "target": memory.unified_id}
            return _saved(remembering, proposal, {**document, "links": [link]})
        case "both":
            return _saved(remembering, proposal, document)
        case _:
            raise typer.Abort


def _saved(remembering: Remembering, proposal: SentenceProposal, document: JsonObject) -> Saved:
    outcome = remembering.save(proposal, document, allow_repeat=True)
    assert isinstance(outcome, Saved)
    return outcome
