"""`memory_save`, `memory_update` and `memory_link`: what an agent may change, and how it is told."""

from typing import Any

from recollect.app.project import Recollect
from recollect.errors import RefusedError
from recollect.ids import as_memory, parse_unified
from recollect.records.categories import SHAPES, Category
from recollect.records.draft import Draft
from recollect.records.fields import Choice, Field, Flag, Kind, Listing, Share, Table, Text
from recollect.records.json_format import Json, JsonObject
from recollect.records.memories import Memories, Repeats, Saved
from recollect.records.record import Link, LinkType, Memory
from recollect.server.reply import ANY_OBJECT, MEMORY_ID
from recollect.server.tool import Hints, Tool, ToolReply, ToolRequest
from recollect.tools.provider import Arguments
from recollect.views.saves import ToolSaveOutput, duplicate_output, save_output


def _said(kind: Kind) -> str:
    match kind:
        case Choice(values):
            return f"({'|'.join(values)})"
        case Flag():
            return "(true|false)"
        case Listing(Table(fields)):
            return f"[]{{{', '.join(field.name for field in fields)}}}"
        case Listing():
            return "[]"
        case Table(fields) if fields:
            return f"{{{', '.join(f'{field.name}{_said(field.kind)}' for field in fields)}}}"
        case _:
            return ""


def content_help() -> str:
    """The fields of each category's content, in one passage."""
    told = []
    for category, shape in SHAPES.items():
        needed = [f"{one.name}{_said(one.kind)}" for one in shape.fields if one.required]
        others = [f"{one.name}{_said(one.kind)}" for one in shape.fields if not one.required]
        told.append(f"{category.value}: {', '.join(needed)}; optional {', '.join(others)}")
    return "fields by category. " + ". ".join(told)


_TITLE = "what it says, in a line (120 characters)"
_TAGS = "words to find it by"
_FILES = "files or patterns it is about"
_ANCHORS = "code it speaks of: path or path:10-40; drift is noticed"
_LINK_TYPE = Choice(tuple(LinkType))
_LINK = (
    Field("type", _LINK_TYPE, "", required=True),
    Field("target", Text(min_length=1), "", required=True),
    Field("evidence", Text(), ""),
)
_SAVE_INPUTS = (
    Field("category", Choice(tuple(Category)), "the kind", required=True),
    Field("title", Text(min_length=1), _TITLE, required=True),
    Field("tags", Listing(Text(min_length=1), min_items=1), _TAGS, required=True),
    Field("content", ANY_OBJECT, content_help(), required=True),
    Field("related_files", Listing(Text()), _FILES),
    Field("anchors", Listing(Text(min_length=1)), _ANCHORS),
    Field("links", Listing(Table(_LINK)), "to memories or skills, as in memory_link"),
    Field("supersedes", Listing(Text(min_length=1)), "ids that this one replaces"),
    Field("confidence", Share(), "0..1"),
    Field("scope", Choice(("project", "user")), "default project; user: the same in every project"),
    Field("session", Text(), "your session's id, if you know it; memory_why names it"),
    Field("allow_duplicate", Flag(), "keep it even if another says the same"),
)
_UPDATE_INPUTS = (
    MEMORY_ID,
    Field("action", Choice(("edit", "retire", "archive", "restore")), "default edit"),
    Field("reason", Text(min_length=1), "to retire or archive: why"),
    Field("title", Text(min_length=1), _TITLE),
    Field("tags", Listing(Text(min_length=1), min_items=1), "replaces all"),
    Field("content", ANY_OBJECT, "only the fields that change; null removes one"),
    Field("related_files", Listing(Text()), "replaces all"),
    Field("anchors", Listing(Text(min_length=1)), "replaces all, as the code is now"),
    Field("confidence", Share(), "0..1"),
    Field("version", Text(min_length=4), "that you read; a conflict if it changed since"),
)
_LINK_INPUTS = (
    MEMORY_ID,
    Field("type", _LINK_TYPE, "what it is to the target", required=True),
    Field("target", Text(min_length=1), "a memory's id, or skill:name", required=True),
    Field("evidence", Text(), "how we know"),
)
_EDITABLE = ("title", "tags", "content", "related_files", "confidence")


def save(recollect: Recollect, request: ToolRequest) -> ToolReply:
    """Keep a memory. One that repeats another is not written; the answer names that one."""
    given = request.arguments
    names = ("category", "title", "tags", "content", "related_files", "confidence")
    document: JsonObject = {name: given[name] for name in names if given.get(name) is not None}
    said: JsonObject = {"kind": "agent"}
    document["source"] = said | ({"session": given["session"]} if given.get("session") else {})
    if anchors := _anchors(recollect, given.get("anchors") or ()):
        document["anchors"] = anchors
    if links := _links(recollect, given):
        document["links"] = links
    memories = _home(recollect, given.get("scope"))
    outcome = memories.save(Draft(document), allow_repeat=bool(given.get("allow_duplicate")))
    return _repeat(outcome) if isinstance(outcome, Repeats) else _noted(recollect, outcome)


def _home(recollect: Recollect, scope: str | None) -> Memories:
    return recollect.memories_to_write(user=scope == "user")


def _anchors(recollect: Recollect, places: Any) -> list[Json]:
    return [recollect.worktree.anchor(place, recollect.folder) for place in places]


def _links(recollect: Recollect, given: Arguments) -> list[Json]:
    rows = list(given.get("links") or ())
    rows += [{"type": "supersedes", "target": id} for id in given.get("supersedes") or ()]
    found: list[Json] = []
    for row in rows:
        target = parse_unified(row["target"])
        if (memory := as_memory(target)) is not None:
            recollect.get(memory)
        edge: JsonObject = {"type": row["type"], "target": target}
        found.append(edge | {"evidence": row["evidence"]} if row.get("evidence") else edge)
    return found


def update(recollect: Recollect, request: ToolRequest) -> ToolReply:
    """Change a memory, or move it through its life. Who said it is not the agent's to change."""
    given = request.arguments
    id, action = given["id"], given.get("action") or "edit"
    changed = [name for name in (*_EDITABLE, "anchors") if given.get(name) is not None]
    if action != "edit" and changed:
        raise RefusedError(f"action {action!r} changes no fields; edit {', '.join(changed)} first.")
    home = recollect.home_of(id)
    match action:
        case "retire":
            return _noted(recollect, home.retire(id, _reason(given, action)))
        case "archive":
            return _noted(recollect, home.archive(id, _reason(given, action)))
        case "restore":
            return _noted(recollect, home.restore(id))
        case _:
            return _noted(recollect, _edit(recollect, home, given, changed))


def _reason(given: Arguments, action: str) -> str:
    if not given.get("reason"):
        raise RefusedError(f"action {action!r} needs a reason: why the memory is out of use.")
    return str(given["reason"])


def _edit(recollect: Recollect, home: Memories, given: Arguments, changed: list[str]) -> Saved:
    if not changed:
        raise RefusedError(f"nothing to change; give some of {', '.join((*_EDITABLE, 'anchors'))}.")

    def change(old: Memory) -> JsonObject:
        fields: JsonObject = {name: given[name] for name in changed if name in _EDITABLE}
        if "content" in changed:
            fields["content"] = old.content | given["content"]
        if "anchors" in changed:
            fields["anchors"] = _anchors(recollect, given["anchors"])
        return fields

    return home.edit(given["id"], change, f"Changed {', '.join(changed)}", expect=given.get("version"))


def link(recollect: Recollect, request: ToolRequest) -> ToolReply:
    """Say what one memory is to another, with the evidence."""
    given = request.arguments
    edge = Link(LinkType(given["type"]), parse_unified(given["target"]), given.get("evidence"))
    return _noted(recollect, recollect.home_of(given["id"]).link(given["id"], edge, find=recollect.get))


def _noted(recollect: Recollect, saved: Saved) -> ToolReply:
    recollect.skills.saved(saved.stored.memory)
    return written(saved)


def written(saved: Saved) -> ToolReply:
    """A write that happened, and what else it brought about."""
    stored = saved.stored
    lines = [f"{saved.action}: {stored.memory.id} ({stored.path})"]
    lines += [f"a secret was removed from {one.field} ({one.kind})" for one in saved.redacted]
    if saved.superseded:
        lines.append(f"superseded: {', '.join(saved.superseded)}")
    if saved.retired:
        lines.append(f"retired, only the newest stay active: {', '.join(saved.retired)}")
    return ToolReply(save_output(saved), "\n".join(lines))


def _repeat(found: Repeats) -> ToolReply:
    id = found.existing.memory.id
    advice = (
        f"nothing was written. memory_update with id {id!r} changes that memory, memory_save with "
        f"supersedes [{id!r}] replaces it, allow_duplicate keeps both."
    )
    how = "exactly" if found.exact else "nearly"
    return ToolReply(duplicate_output(found, advice), f"duplicate: {id} says this {how}; {advice}")


SAVE = Tool(
    "memory_save",
    "Save something for later sessions: one fact per memory, with its reason. Secrets are removed. "
    "If a memory says it already, nothing is written and the result names that memory.",
    _SAVE_INPUTS,
    ToolSaveOutput,
    Hints(),
    save,
)
UPDATE = Tool(
    "memory_update",
    "Change a memory, or retire, archive or restore it.",
    _UPDATE_INPUTS,
    ToolSaveOutput,
    Hints(destroys=True, repeatable=True),
    update,
)
LINK = Tool(
    "memory_link",
    "Link two memories. supersedes ends the validity of the target.",
    _LINK_INPUTS,
    ToolSaveOutput,
    Hints(repeatable=True),
    link,
)
