"""`edit`: change a memory by options, from a file or in the user's editor."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli import record_input, save_output
from recollect.cli.command import command
from recollect.cli.context import JsonFlag, UserFlag, opened
from recollect.cli.fields import content_of
from recollect.cli.record_input import (
    AnchorOption,
    FileOption,
    RelatedFileOption,
    SetOption,
    SupersedesOption,
)
from recollect.errors import RefusedError
from recollect.records.json_format import Json, JsonObject, render
from recollect.records.memories import Memories, Saved
from recollect.records.record import Memory
from recollect.views.saves import SaveOutput

if TYPE_CHECKING:
    from recollect.app.project import Recollect

app = typer.Typer()


@command(
    app,
    "edit",
    "recollect edit jwt-over-cookies                 (opens $EDITOR)",
    "recollect edit jwt-over-cookies -s status=deprecated --tag legacy",
    "recollect edit jwt-over-cookies --reanchor      (its code changed, it is still true)",
    output=SaveOutput,
)
def edit(
    context: typer.Context,
    id: Annotated[str, typer.Argument(metavar="ID", help="The memory to change.")],
    title: Annotated[
        str | None, typer.Option("--title", "-t", metavar="TEXT", help="A new title.")
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option("--tag", "--add-tag", metavar="TAG", help="Add this tag; repeatable."),
    ] = None,
    set_: SetOption = None,
    remove_tag: Annotated[
        list[str] | None,
        typer.Option("--remove-tag", metavar="TAG", help="Remove this tag; repeatable."),
    ] = None,
    file: FileOption = None,
    related_file: RelatedFileOption = None,
    anchor: AnchorOption = None,
    supersedes: SupersedesOption = None,
    reanchor: Annotated[
        bool,
        typer.Option("--reanchor", help="Its code changed and it is still true: renew its anchors."),
    ] = False,
    expect: Annotated[
        str | None, typer.Option(metavar="VERSION", help="Fail unless this is its current version.")
    ] = None,
    user: UserFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Change a memory.

    Use options, a JSON file with the fields to change, or $EDITOR. The change is recorded in the memory's
    history. If someone else changed it in the meantime, nothing is overwritten: exit code 4 names both
    versions.
    """
    recollect = opened(context, user=user)
    memories = recollect.home_of(id)
    added = record_input.additions(recollect, related_file or (), anchor or (), supersedes or ())
    if not any((title, set_, tag, remove_tag, file, added, reanchor)):
        save_output.report(edit_in_editor(memories, id, expect), as_json=as_json)
        return
    document = record_input.read(file) if file else {}
    if title:
        document["title"] = title

    def change(old: Memory) -> JsonObject:
        fields = document | {
            "content": record_input.content(document) | content_of(old.category, set_ or ())
        }
        if tag or remove_tag:
            tags = fields.get("tags") or list[Json](old.tags)
            fields["tags"] = _retagged(old, tags, tag or [], remove_tag or [])
        if reanchor:
            fields["anchors"] = _renewed(recollect, old)
        return record_input.merged(old, fields, added)

    names = [*record_input.changes(document), *(text.partition("=")[0].strip() for text in set_ or ())]
    names += ["tags"] if tag or remove_tag else []
    names += [*added, *(["anchors"] if reanchor else [])]
    summary = f"Changed {', '.join(dict.fromkeys(names))}"
    save_output.report(memories.edit(id, change, summary, expect=expect), as_json=as_json)


def _retagged(old: Memory, tags: Json, add: list[str], remove: list[str]) -> list[Json]:
    before = tags if isinstance(tags, list) else []
    remaining = [tag for tag in (*before, *add) if tag not in remove]
    if not remaining:
        raise RefusedError(f"memory {old.id!r} must have at least one tag; add another first.")
    return [tag for position, tag in enumerate(remaining) if tag not in remaining[:position]]


def _renewed(recollect: "Recollect", old: Memory) -> list[Json]:
    """The memory's anchors, renewed from the code as it is now."""
    if not old.anchors:
        raise RefusedError(f"memory {old.id!r} has no anchors; `--anchor FILE` adds one.")
    rows: list[Json] = []
    for row in old.rows("anchors"):
        place = f"{row['path']}:{row['lines']}" if row.get("lines") else str(row["path"])
        rows.append(recollect.worktree.anchor(place, recollect.folder))
    return rows


def edit_in_editor(memories: Memories, id: str, expect: str | None) -> Saved:
    """Open the record in the user's editor; after a mistake the user can go back, and no text is lost."""
    from recollect.cli.editor import editing

    if not sys.stdin.isatty():
        raise RefusedError(
            "an editor needs a terminal; say what to change with --title, --set, --tag or --file."
        )
    stored = memories.get(id)
    if expect and not stored.digest.startswith(expect):
        return memories.edit(id, lambda _: {}, "Edited", expect=expect)  # names both versions
    before = stored.memory.document
    with editing(stored.memory, render(before).decode(), memories.redacted) as document:
        if document is None:
            return Saved("unchanged", stored)
        fields: JsonObject = {name: None for name in before if name not in document}
        fields |= record_input.changes(document)
        return memories.replace(stored, lambda _: fields, "Edited")
