"""`save` and `edit`: keeping a memory and changing one."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from recollect.cli import saved
from recollect.cli.command import command
from recollect.cli.context import JsonFlag, UserFlag, chosen, opened
from recollect.cli.fields import category_named, content_of
from recollect.errors import NotFoundError, RefusedError
from recollect.records.draft import Draft
from recollect.records.json_format import Json, JsonObject, parse, render
from recollect.records.memories import Memories, Repeats, Saved
from recollect.records.record import Memory

if TYPE_CHECKING:
    from recollect.app import Recollect

# What an update never takes from the record it is given: the memory's own identity and history.
_KEPT_ON_UPDATE = (
    "id",
    "category",
    "schema_version",
    "created_at",
    "updated_at",
    "changes",
    "times_updated",
)

SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set", "-s", metavar="FIELD=VALUE", help="A field of the content; repeat for lists."
    ),
]
AnchorOption = Annotated[
    list[str] | None,
    typer.Option("--anchor", metavar="FILE[:10-40]", help="Code it speaks of; drift is noticed."),
]
FileOption = Annotated[
    str | None, typer.Option("--file", "-f", metavar="FILE", help="A JSON record; - is standard input.")
]


def register(app: typer.Typer) -> None:
    command(
        app,
        "save",
        "recollect save                      (asks, on a terminal)",
        "recollect save -c preference -t 'Tabs, not spaces' --tag style \\",
        "    -s topic=style -s value='Indent with tabs.' -s reason='Each sees their own width.' \\",
        "    -s strength=strong",
        "recollect save --file decision.json --supersedes jwt-over-cookies",
        "echo '{\"category\": ...}' | recollect save --file - --json",
    )(save)
    command(
        app,
        "edit",
        "recollect edit jwt-over-cookies                 (opens $EDITOR)",
        "recollect edit jwt-over-cookies -s status=deprecated --add-tag legacy",
        "recollect edit jwt-over-cookies --reanchor      (its code changed, it still holds)",
    )(edit)


def save(
    context: typer.Context,
    category: Annotated[
        str | None, typer.Option("--category", "-c", help="The kind of memory.")
    ] = None,
    title: Annotated[str | None, typer.Option("--title", "-t", help="What it says, in a line.")] = None,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", help="A word to find it by; repeat.")
    ] = None,
    set_: SetOption = None,
    file: FileOption = None,
    related_file: Annotated[
        list[str] | None, typer.Option("--related-file", help="A file or pattern it is about; repeat.")
    ] = None,
    anchor: AnchorOption = None,
    supersedes: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="A memory that this one replaces; repeat.")
    ] = None,
    update: Annotated[
        str | None, typer.Option(metavar="ID", help="Change this memory instead.")
    ] = None,
    expect: Annotated[
        str | None, typer.Option(metavar="VERSION", help="With --update: the version you looked at.")
    ] = None,
    allow_duplicate: Annotated[
        bool, typer.Option("--allow-duplicate", help="Keep it even if another says the same.")
    ] = False,
    user: UserFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Keep a memory.

    From options, a JSON file, standard input, or a form on a terminal. A memory that repeats one we
    have is not written: exit code 6 names the one that says it already.
    Secrets are taken out before anything is written.
    """
    recollect = opened(context)
    memories = chosen(recollect, user=user)
    asked = not (file or category or title or set_) and sys.stdin.isatty()
    document = _given(category, title, tag, set_, file, asked=asked)
    _add(recollect, document, related_file, anchor, supersedes)
    if update:
        saved.report(_update(memories, update, document, expect), as_json=as_json)
        return
    outcome = memories.save(Draft(document), allow_repeat=allow_duplicate)
    if isinstance(outcome, Repeats):
        if not asked:
            saved.report_repeat(outcome, as_json=as_json)
        _decide(memories, document, outcome, as_json=as_json)
    else:
        saved.report(outcome, as_json=as_json)


def _given(
    category: str | None,
    title: str | None,
    tags: list[str] | None,
    assignments: list[str] | None,
    file: str | None,
    *,
    asked: bool,
) -> JsonObject:
    if asked:
        from recollect.cli import form

        return form.ask().document
    document = _read(file or "-") if file or not (category or title or assignments) else {}
    if category:
        document["category"] = category_named(category).value
    if title:
        document["title"] = title
    if tags:
        document["tags"] = list[Json](tags)
    if assignments:
        kind = category_named(str(document.get("category") or "(none: give --category)"))
        content = cast("JsonObject", document.get("content") or {})
        document["content"] = content | content_of(kind, assignments)
    return document


def _read(file: str) -> JsonObject:
    if file == "-":
        return parse(sys.stdin.buffer.read(), "standard input")
    try:
        return parse(Path(file).read_bytes(), file)
    except OSError as error:
        raise NotFoundError(f"cannot read {file!r}: {error.strerror}.") from None


def _add(
    recollect: "Recollect",
    document: JsonObject,
    related: list[str] | None,
    places: list[str] | None,
    superseded: list[str] | None,
) -> None:
    if related:
        document["related_files"] = [*_list(document, "related_files"), *related]
    if places:
        anchors = [recollect.worktree.anchor(place, Path.cwd()) for place in places]
        document["anchors"] = [*_list(document, "anchors"), *anchors]
    for id in superseded or ():
        target = recollect.get(id).memory.unified_id
        link: JsonObject = {"type": "supersedes", "target": target}
        document["links"] = [*_list(document, "links"), link]


def _list(document: JsonObject, name: str) -> list[Json]:
    value = document.get(name)
    return value if isinstance(value, list) else []


def _update(memories: Memories, id: str, document: JsonObject, expect: str | None) -> Saved:
    fields = {name: value for name, value in document.items() if name not in _KEPT_ON_UPDATE}

    def change(old: Memory) -> JsonObject:
        content = fields.get("content")
        if isinstance(content, dict):
            return fields | {"content": old.content | content}
        return fields

    return memories.edit(id, change, "Updated", expect=expect)


def _decide(memories: Memories, document: JsonObject, found: Repeats, *, as_json: bool) -> None:
    from recollect.cli import form

    match form.ask_about_repeat(found):
        case "update":
            saved.report(_update(memories, found.existing.memory.id, document, None), as_json=as_json)
        case "new":
            outcome = memories.save(Draft(document), allow_repeat=True)
            assert not isinstance(outcome, Repeats)
            saved.report(outcome, as_json=as_json)
        case _:
            raise typer.Abort


def edit(
    context: typer.Context,
    id: Annotated[str, typer.Argument(help="The memory to change.")],
    title: Annotated[str | None, typer.Option("--title", "-t", help="A new title.")] = None,
    set_: SetOption = None,
    add_tag: Annotated[list[str] | None, typer.Option("--add-tag", help="Repeat for more.")] = None,
    remove_tag: Annotated[
        list[str] | None, typer.Option("--remove-tag", help="Repeat for more.")
    ] = None,
    file: FileOption = None,
    anchor: AnchorOption = None,
    reanchor: Annotated[
        bool, typer.Option("--reanchor", help="Its code changed and it still holds: anchor it anew.")
    ] = False,
    expect: Annotated[
        str | None, typer.Option(metavar="VERSION", help="Fail unless it is still at this version.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Change a memory.

    By options, from a JSON file with the fields to change, or in $EDITOR. The change is noted in
    the memory's history. If somebody else changed it meanwhile, nothing is
    overwritten: exit code 4 names both versions.
    """
    recollect = opened(context)
    memories = recollect.home_of(id)
    if not any((title, set_, add_tag, remove_tag, file, anchor, reanchor)):
        saved.report(_edit_in_editor(memories, id), as_json=as_json)
        return
    given = _read(file) if file else {}

    def change(old: Memory) -> JsonObject:
        fields: JsonObject = {k: v for k, v in given.items() if k not in _KEPT_ON_UPDATE}
        content = cast("JsonObject", fields.pop("content", {}))
        content |= content_of(old.category, set_ or ())
        if content:
            fields["content"] = old.content | content
        if title:
            fields["title"] = title
        if add_tag or remove_tag:
            fields["tags"] = _retagged(old, add_tag or [], remove_tag or [])
        if anchor or reanchor:
            fields["anchors"] = _anchors(recollect, old, anchor or [], renew=reanchor)
        return fields

    what = ", ".join(_changed(title, set_, add_tag or remove_tag, given, anchor or reanchor))
    saved.report(memories.edit(id, change, f"Changed {what}", expect=expect), as_json=as_json)


def _changed(
    title: str | None, sets: list[str] | None, tags: object, given: JsonObject, anchors: object
) -> list[str]:
    names = [assignment.partition("=")[0].strip() for assignment in sets or ()]
    names += [name for name in given if name not in _KEPT_ON_UPDATE]
    names += ["title"] if title else []
    names += ["tags"] if tags else []
    names += ["anchors"] if anchors else []
    return list(dict.fromkeys(names))


def _retagged(old: Memory, add: list[str], remove: list[str]) -> list[Json]:
    kept = [tag for tag in (*old.tags, *add) if tag not in remove]
    if not kept:
        raise RefusedError(f"memory {old.id!r} must keep at least one tag; add another first.")
    return list[Json](dict.fromkeys(kept))


def _anchors(recollect: "Recollect", old: Memory, places: list[str], *, renew: bool) -> list[Json]:
    rows: list[Json] = list[Json](old.rows("anchors"))
    if renew:
        spans = ((row["path"], row.get("lines")) for row in old.rows("anchors"))
        old_places = [f"{path}:{lines}" if lines else str(path) for path, lines in spans]
        folder = recollect.project.folder
        rows = [recollect.worktree.anchor(place, folder) for place in old_places]
    return [*rows, *(recollect.worktree.anchor(place, Path.cwd()) for place in places)]


def _edit_in_editor(memories: Memories, id: str) -> Saved:
    """Open the record in the user's editor; a mistake in it is asked about, never lost."""
    from recollect.cli.editor import edited

    stored = memories.get(id)
    before = stored.memory.document
    document = edited(render(before).decode())
    if document is None:
        return Saved("unchanged", stored)
    gone: JsonObject = {name: None for name in before if name not in document}
    given = {name: value for name, value in document.items() if name not in _KEPT_ON_UPDATE}
    return memories.replace(stored, lambda _: gone | given, "Edited")
