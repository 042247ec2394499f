"""`remember`: one sentence becomes a memory."""

import sys
from typing import Annotated, Any, NoReturn

import typer

from recollect.cli import record_input, save_output
from recollect.cli.choices import choice_option
from recollect.cli.command import command
from recollect.cli.context import JsonFlag, UserFlag, opened
from recollect.cli.exits import Exit
from recollect.cli.fields import category_named, content_of
from recollect.cli.output import label, print_json, safe, say
from recollect.cli.progress import progress
from recollect.cli.record_input import SetOption
from recollect.records.categories import Category
from recollect.records.json_format import Json, JsonObject
from recollect.records.memories import Repeats, Saved
from recollect.records.sentence.proposal import Contradicts, Outcome, SentenceProposal
from recollect.views.remembering import RememberOutput, proposal_output, remember_output

app = typer.Typer()
_CATEGORIES = [category for category in Category if category is not Category.SESSION_SUMMARY]


@command(
    app,
    "remember",
    "recollect remember 'We deploy on Tuesdays only, because support is thin on Fridays'",
    "recollect remember --yes --user 'Please answer in German'",
    "recollect remember --yes 'Deploy on Wednesdays only' --supersedes we-deploy-on-tuesdays-only",
    "recollect remember --json 'Use tabs'",
    output=RememberOutput,
)
def remember(
    context: typer.Context,
    sentence: Annotated[list[str], typer.Argument(metavar="SENTENCE", help="What to remember.")],
    category: Annotated[
        str | None,
        choice_option(
            _CATEGORIES, "--category", "-c", metavar="CATEGORY", help="Instead of the derived one."
        ),
    ] = None,
    title: Annotated[
        str | None, typer.Option("--title", "-t", metavar="TEXT", help="Instead of the derived title.")
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option("--tag", metavar="TAG", help="Instead of the derived tags; repeatable."),
    ] = None,
    set_: SetOption = None,
    supersedes: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="A memory that this one replaces; repeatable."),
    ] = None,
    update: Annotated[
        str | None, typer.Option(metavar="ID", help="Change this memory instead.")
    ] = None,
    allow_duplicate: Annotated[
        bool,
        typer.Option(
            "--allow-duplicate", help="Save it even if another memory says the same or the opposite."
        ),
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Save it as derived, without asking.")
    ] = False,
    user: UserFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Remember one sentence.

    Category, title, tags and fields are derived from its words and shown; nothing is invented. On a terminal
    you can correct them before they are saved. Elsewhere nothing is saved without --yes (exit code 11).
    If a memory says the same or may say the opposite, it is offered for an update or a replacement; without
    a terminal, exit code 6 names it.
    """
    from recollect.app.remembering import Remembering

    recollect = opened(context, user=user)
    remembering = Remembering(recollect, user)
    text = " ".join(sentence)
    proposal = remembering.propose(text, category_named(category) if category else None)
    document = _corrected(proposal, title, tag or [], set_ or [])
    links = record_input.additions(recollect, superseded=supersedes or ())
    document |= {name: list[Json](rows) for name, rows in links.items()}
    if update:
        changes = {name: value for name, value in document.items() if title and name == "title"}
        _report(proposal, document, remembering.update(update, text, changes), as_json=as_json)
        return
    asks = not (yes or as_json) and sys.stdin.isatty()
    if not asks and not yes:
        _show_only(proposal, document, as_json=as_json)
    if asks:
        from recollect.cli import remember_form

        document = remember_form.confirmed(remembering, proposal, document)
    elif not as_json:
        show(document, proposal)
    with progress("Indexing memories") as report:
        remembering.memories.prepare(report)
    outcome = remembering.save(proposal, document, allow_repeat=allow_duplicate)
    if asks and not isinstance(outcome, Saved):
        from recollect.cli import remember_form

        outcome = remember_form.settled(remembering, proposal, document, outcome)
    _report(proposal, document, outcome, as_json=as_json)


def _corrected(
    proposal: SentenceProposal, title: str | None, tags: list[str], assignments: list[str]
) -> JsonObject:
    """The derived record with what options say instead."""
    document = dict(proposal.document)
    if title:
        document["title"] = title
    if tags:
        document["tags"] = list[Json](tags)
    if assignments:
        content = record_input.content(document)
        document["content"] = content | content_of(proposal.derived.category, assignments)
    return document


def show(document: JsonObject, proposal: SentenceProposal) -> None:
    """Show what a sentence would become, and the words that chose its category."""
    say(f"{label(str(document['category']))} {safe(str(document['title']))}")
    if words := proposal.derived.signals:
        say(f"  [dim]a {_plain(document['category'])}, because it says[/] {safe(', '.join(words))}")
    rows: dict[str, Any] = {name: document.get(name) for name in ("tags", "related_files")}
    rows |= record_input.content(document)
    for name, value in rows.items():
        if value is not None:
            say(f"  [dim]{name}:[/] {safe(shown_value(value))}")


def shown_value(value: Json) -> str:
    """A value of a field on one line."""
    match value:
        case list():
            return "; ".join(shown_value(item) for item in value)
        case dict():
            return ", ".join(f"{name} {shown_value(item)}" for name, item in value.items())
        case bool():
            return "yes" if value else "no"
        case _:
            return str(value)


def _plain(category: Json) -> str:
    return str(category).replace("_", " ")


def _show_only(proposal: SentenceProposal, document: JsonObject, *, as_json: bool) -> NoReturn:
    if as_json:
        print_json(proposal_output(proposal, document))
    else:
        show(document, proposal)
        say("[yellow]Not saved[/]: there is no terminal to ask. `--yes` saves it like this.")
    raise typer.Exit(Exit.UNDECIDED)


def _report(
    proposal: SentenceProposal, document: JsonObject, outcome: Outcome, *, as_json: bool
) -> None:
    advice = _advice(outcome)
    if as_json:
        print_json(remember_output(proposal, document, outcome, advice))
    match outcome:
        case Saved():
            if not as_json:
                save_output.report(outcome, as_json=False)
        case Repeats():
            if not as_json:
                save_output.report_repeat(outcome, as_json=False, advice=advice)
            raise typer.Exit(Exit.DUPLICATE)
        case Contradicts(existing, reason):
            if not as_json:
                memory = existing.memory
                say(
                    f"[yellow]Not saved[/]: [bold]{memory.id}[/] may say the opposite ({safe(reason)}):"
                )
                say(f"  {safe(memory.title)}\n  {advice}")
            raise typer.Exit(Exit.DUPLICATE)


def _advice(outcome: Outcome) -> str:
    if isinstance(outcome, Saved):
        return ""
    id = outcome.existing.memory.id
    return (
        f"`--update {id}` changes that memory, `--supersedes {id}` replaces it, "
        "`--allow-duplicate` keeps both."
    )
