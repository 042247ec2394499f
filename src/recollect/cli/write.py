"""`save`: write a memory, from options, a file, standard input or a form."""

import sys
from typing import Annotated

import typer

from recollect.cli import record_input, save_output
from recollect.cli.choices import choice_option
from recollect.cli.command import command
from recollect.cli.context import JsonFlag, UserFlag, opened
from recollect.cli.fields import category_named, content_of
from recollect.cli.progress import progress
from recollect.cli.record_input import (
    AnchorOption,
    FileOption,
    RelatedFileOption,
    SetOption,
    SupersedesOption,
)
from recollect.errors import RefusedError
from recollect.records.categories import Category
from recollect.records.draft import Draft
from recollect.records.json_format import Json, JsonObject
from recollect.records.memories import Memories, Repeats, Saved
from recollect.views.saves import SaveOutput

app = typer.Typer()


@command(
    app,
    "save",
    "recollect save                      (asks, on a terminal)",
    "recollect save -c preference -t 'Tabs, not spaces' --tag style \\",
    "    -s topic=style -s value='Indent with tabs.' -s reason='Each sees their own width.' \\",
    "    -s strength=strong",
    "recollect save --file decision.json --supersedes jwt-over-cookies",
    "echo '{\"category\": ...}' | recollect save --file - --json",
    output=SaveOutput,
)
def save(
    context: typer.Context,
    category: Annotated[
        str | None,
        choice_option(Category, "--category", "-c", metavar="CATEGORY", help="The kind of memory."),
    ] = None,
    title: Annotated[
        str | None, typer.Option("--title", "-t", metavar="TEXT", help="What it says, in one line.")
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option("--tag", metavar="TAG", help="A keyword to find it by; repeatable."),
    ] = None,
    set_: SetOption = None,
    file: FileOption = None,
    related_file: RelatedFileOption = None,
    anchor: AnchorOption = None,
    supersedes: SupersedesOption = None,
    update: Annotated[
        str | None, typer.Option(metavar="ID", help="Change this memory instead.")
    ] = None,
    expect: Annotated[
        str | None, typer.Option(metavar="VERSION", help="With --update: the version you read.")
    ] = None,
    allow_duplicate: Annotated[
        bool, typer.Option("--allow-duplicate", help="Save it even if another memory says the same.")
    ] = False,
    user: UserFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Save a memory.

    Reads options, a JSON file or standard input, or asks on a terminal. If a memory already says the
    same, nothing is written: exit code 6 names that memory. Secrets are removed before anything is
    written.
    """
    if expect and not update:
        raise RefusedError("--expect needs --update: it is the version of the memory to change.")
    recollect = opened(context, user=user)
    memories = recollect.memories
    interactive = not (file or category or title or set_) and sys.stdin.isatty()
    document = _read_document(category, title, tag, set_, file, interactive=interactive)
    added = record_input.additions(recollect, related_file or (), anchor or (), supersedes or ())
    if update:
        home = recollect.home_of(update)
        save_output.report(_update(home, update, document, added, expect), as_json=as_json)
        return
    for name, rows in added.items():
        document[name] = record_input.extended(document.get(name), rows)
    with progress("Indexing memories") as report:
        memories.prepare(report)
    outcome = memories.save(Draft(document), allow_repeat=allow_duplicate)
    if isinstance(outcome, Repeats):
        if not interactive:
            save_output.report_repeat(outcome, as_json=as_json)
        _decide(memories, document, added, outcome, as_json=as_json)
    else:
        save_output.report(outcome, as_json=as_json)


def _read_document(
    category: str | None,
    title: str | None,
    tags: list[str] | None,
    assignments: list[str] | None,
    file: str | None,
    *,
    interactive: bool,
) -> JsonObject:
    if interactive:
        from recollect.cli import save_form

        return save_form.ask(tags or []).document
    document = record_input.read(file or "-") if file or not (category or title or assignments) else {}
    if category:
        document["category"] = category_named(category).value
    if title:
        document["title"] = title
    if tags:
        document["tags"] = list[Json](tags)
    if assignments:
        if not document.get("category"):
            raise RefusedError(f"--set needs --category, one of {', '.join(Category)}.")
        kind = category_named(str(document["category"]))
        document["content"] = record_input.content(document) | content_of(kind, assignments)
    return document


def _update(
    memories: Memories,
    id: str,
    document: JsonObject,
    added: dict[str, list[Json]],
    expect: str | None = None,
) -> Saved:
    names = [*record_input.changes(document), *added]
    summary = f"Changed {', '.join(dict.fromkeys(names))}" if names else "Updated"
    return memories.edit(
        id, lambda old: record_input.merged(old, document, added), summary, expect=expect
    )


def _decide(
    memories: Memories,
    document: JsonObject,
    added: dict[str, list[Json]],
    repeats: Repeats,
    *,
    as_json: bool,
) -> None:
    from recollect.cli import save_form

    match save_form.ask_about_repeat(repeats):
        case "update":
            outcome = _update(memories, repeats.existing.memory.id, document, added)
        case "new":
            saved = memories.save(Draft(document), allow_repeat=True)
            assert not isinstance(saved, Repeats)
            outcome = saved
        case _:
            raise typer.Abort
    save_output.report(outcome, as_json=as_json)
