"""`memory_save`, `memory_update` and `memory_link`: the tools that write."""

import json
from typing import Any

from recollect.app.project import Recollect
from recollect.app.remembering import Remembering
from recollect.errors import RefusedError
from recollect.ids import as_memory, parse_unified
from recollect.records.categories import SHAPES, Category
from recollect.records.display import one_line
from recollect.records.draft import Draft
from recollect.records.fields import Choice, Field, Flag, Listing, Object, Share, Text
from recollect.records.json_format import Json, JsonObject
from recollect.records.memories import Memories, Repeats, Saved
from recollect.records.record import Link, LinkType, Memory
from recollect.records.sentence.proposal import Contradicts, Outcome, SentenceProposal
from recollect.server.reply import ANY_OBJECT, MEMORY_ID
from recollect.server.tool import Hints, Tool, ToolReply, ToolRequest
from recollect.tools.provider import Arguments
from recollect.views.saves import ToolSaveOutput, duplicate_output, save_output


def _notation(field: Field) -> str:
    """A field of content and what it holds: `status(open|resolved)`, `steps[]`, `examples{prefer[]}`."""
    match field.kind:
        case Choice(values):
            return f"{field.name}({'|'.join(values)})"
        case Flag():
            return f"{field.name}(true|false)"
        case Listing(Object(fields)):
            return f"{field.name}[]{{{', '.join(inner.name for inner in fields)}}}"
        case Listing():
            return f"{field.name}[]"
        case Object(fields) if fields:
            return f"{field.name}{{{', '.join(_notation(inner) for inner in fields)}}}"
        case _:
            return field.name


def content_help() -> str:
    """The fields of each category's content, on one line."""
    categories = []
    for category, shape in SHAPES.items():
        required = [_notation(field) for field in shape.fields if field.required]
        optional = [_notation(field) for field in shape.fields if not field.required]
        categories.append(f"{category.value}: {', '.join(required)}; optional {', '.join(optional)}")
    return "fields by category. " + ". ".join(categories)


_TITLE = "what it says, in one line (120 characters)"
_TAGS = "keywords to find it by"
_FILES = "files or patterns it is about"
_ANCHORS = "code it describes: path or path:10-40; drift is detected"
_LINK_TYPE = Choice(tuple(LinkType))
_LINK = (
    Field("type", _LINK_TYPE, "", required=True),
    Field("target", Text(min_length=1), "", required=True),
    Field("evidence", Text(), ""),
)
_SAVE_INPUTS = (
    Field(
        "sentence",
        Text(min_length=1),
        "one sentence in place of the next four, which are derived from it",
    ),
    Field("category", Choice(tuple(Category)), "the kind", required=True),
    Field("title", Text(min_length=1), _TITLE, required=True),
    Field("tags", Listing(Text(min_length=1), min_items=1), _TAGS, required=True),
    Field("content", ANY_OBJECT, content_help(), required=True),
    Field("related_files", Listing(Text()), _FILES),
    Field("anchors", Listing(Text(min_length=1)), _ANCHORS),
    Field("links", Listing(Object(_LINK)), "to memories or skills, as in memory_link"),
    Field("supersedes", Listing(Text(min_length=1)), "ids that this one replaces"),
    Field("confidence", Share(), "0..1"),
    Field("scope", Choice(("project", "user")), "default project; user: the same in every project"),
    Field("session", Text(), "your session's id, if you know it; memory_why shows it"),
    Field("allow_duplicate", Flag(), "save it even if another says the same"),
    Field("propose", Flag(), "a person decides in `recollect review` first"),
)
_UPDATE_INPUTS = (
    MEMORY_ID,
    Field("action", Choice(("edit", "retire", "archive", "restore")), "default edit"),
    Field("reason", Text(min_length=1), "to retire or archive: why"),
    Field("title", Text(min_length=1), _TITLE),
    Field("tags", Listing(Text(min_length=1), min_items=1), "replaces all"),
    Field("content", ANY_OBJECT, "only the fields that change; null removes one"),
    Field("related_files", Listing(Text()), "replaces all"),
    Field("anchors", Listing(Text(min_length=1)), "replaces all, with the code of now"),
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
    """Save a memory. One that repeats another is not written; the answer names the other."""
    arguments = request.arguments
    user = arguments.get("scope") == "user"
    document, proposal = _record(recollect, request, user=user)
    source: JsonObject = {"kind": "agent"}
    document["source"] = source | (
        {"session": arguments["session"]} if arguments.get("session") else {}
    )
    if anchors := _anchors(recollect, arguments.get("anchors") or ()):
        document["anchors"] = anchors
    if links := _links(recollect, arguments):
        document["links"] = links
    if arguments.get("propose"):
        return _proposed(recollect, document)
    allowed = bool(arguments.get("allow_duplicate"))
    if proposal is None:
        outcome: Outcome = recollect.memories_to_write(user=user).save(
            Draft(document), allow_repeat=allowed
        )
    else:
        outcome = Remembering(recollect, user).save(proposal, document, allow_repeat=allowed)
    match outcome:
        case Repeats():
            return _duplicate(outcome)
        case Contradicts():
            return _contradiction(outcome)
        case _:
            return _saved(recollect, outcome, derived=proposal is not None)


def _proposed(recollect: Recollect, document: JsonObject) -> ToolReply:
    """Leave a record for a person. It has to be valid, so that keeping it cannot fail."""
    draft = Draft(document)
    memory = draft.as_memory(draft.proposed_id(), recollect.now)
    name = recollect.sessions.drafts.put(f"proposal-{memory.id}", dict(document))
    advice = "prompts and searches do not see it until a person keeps it: recollect review"
    structured: ToolSaveOutput = {
        "action": "proposed",
        "id": name,
        "path": "",
        "version": "",
        "advice": advice,
    }
    return ToolReply(structured, f"proposed: {name}; {advice}")


def _record(
    recollect: Recollect, request: ToolRequest, *, user: bool
) -> tuple[JsonObject, SentenceProposal | None]:
    """The record to save, and the proposal that it was derived from when there is a sentence."""
    arguments = request.arguments
    names = ("category", "title", "tags", "content", "related_files", "confidence")
    document: JsonObject = {name: arguments[name] for name in names if arguments.get(name) is not None}
    sentence = request.text("sentence")
    if not sentence:
        return document, None
    category = Category(arguments["category"]) if arguments.get("category") else None
    proposal = Remembering(recollect, user).propose(sentence, category)
    return proposal.document | document, proposal


def _anchors(recollect: Recollect, paths: Any) -> list[Json]:
    return [recollect.worktree.anchor(path, recollect.folder) for path in paths]


def _links(recollect: Recollect, arguments: Arguments) -> list[Json]:
    rows = list(arguments.get("links") or ())
    rows += [{"type": "supersedes", "target": id} for id in arguments.get("supersedes") or ()]
    links: list[Json] = []
    for row in rows:
        target = parse_unified(row["target"])
        if (memory := as_memory(target)) is not None:
            recollect.get(memory)
        edge: JsonObject = {"type": row["type"], "target": target}
        links.append(edge | {"evidence": row["evidence"]} if row.get("evidence") else edge)
    return links


def update(recollect: Recollect, request: ToolRequest) -> ToolReply:
    """Edit, retire, archive or restore a memory. Its source stays: an agent cannot change it."""
    arguments = request.arguments
    id, action = arguments["id"], arguments.get("action") or "edit"
    changed = [name for name in (*_EDITABLE, "anchors") if arguments.get(name) is not None]
    if action != "edit" and changed:
        raise RefusedError(
            f"action {action!r} does not change fields; edit {', '.join(changed)} first."
        )
    home = recollect.home_of(id)
    match action:
        case "retire":
            return _saved(recollect, home.retire(id, _reason(arguments, action)))
        case "archive":
            return _saved(recollect, home.archive(id, _reason(arguments, action)))
        case "restore":
            return _saved(recollect, home.restore(id))
        case _:
            return _saved(recollect, _edit(recollect, home, arguments, changed))


def _reason(arguments: Arguments, action: str) -> str:
    if not arguments.get("reason"):
        raise RefusedError(f"action {action!r} needs a reason: why the memory is out of use.")
    return str(arguments["reason"])


def _edit(recollect: Recollect, home: Memories, arguments: Arguments, changed: list[str]) -> Saved:
    if not changed:
        raise RefusedError(f"nothing to change; pass some of {', '.join((*_EDITABLE, 'anchors'))}.")

    def change(old: Memory) -> JsonObject:
        fields: JsonObject = {name: arguments[name] for name in changed if name in _EDITABLE}
        if "content" in changed:
            fields["content"] = old.content | arguments["content"]
        if "anchors" in changed:
            fields["anchors"] = _anchors(recollect, arguments["anchors"])
        return fields

    return home.edit(
        arguments["id"], change, f"Changed {', '.join(changed)}", expect=arguments.get("version")
    )


def link(recollect: Recollect, request: ToolRequest) -> ToolReply:
    """Link a memory to another one or to a skill, with the evidence."""
    arguments = request.arguments
    edge = Link(
        LinkType(arguments["type"]), parse_unified(arguments["target"]), arguments.get("evidence")
    )
    return _saved(
        recollect, recollect.home_of(arguments["id"]).link(arguments["id"], edge, find=recollect.get)
    )


def _saved(recollect: Recollect, saved: Saved, *, derived: bool = False) -> ToolReply:
    recollect.skills.saved(saved.stored.memory)
    reply = written(saved)
    if not derived:
        return reply
    memory = saved.stored.memory
    fields = json.dumps(memory.content, ensure_ascii=False)
    tags = ", ".join(memory.tags)
    return ToolReply(
        reply.structured, f"{reply.text}\nderived: {memory.category}; tags {one_line(tags)}; {fields}"
    )


def written(saved: Saved) -> ToolReply:
    """A write, and what it changed besides: secrets removed, memories superseded or retired."""
    stored = saved.stored
    lines = [f"{saved.action}: {stored.memory.id} ({stored.path})"]
    lines += [
        f"a secret was removed from {removed.field} ({removed.kind})" for removed in saved.redacted
    ]
    if saved.superseded:
        lines.append(f"superseded: {', '.join(saved.superseded)}")
    if saved.retired:
        lines.append(f"retired, only the newest stay active: {', '.join(saved.retired)}")
    return ToolReply(save_output(saved), "\n".join(lines))


def _duplicate(repeats: Repeats) -> ToolReply:
    id = repeats.existing.memory.id
    advice = (
        f"nothing was written. memory_update with id {id!r} changes that memory, memory_save with "
        f"supersedes [{id!r}] replaces it, allow_duplicate keeps both."
    )
    how = "exactly" if repeats.exact else "nearly"
    return ToolReply(duplicate_output(repeats, advice), f"duplicate: {id} says this {how}; {advice}")


def _contradiction(outcome: Contradicts) -> ToolReply:
    existing = outcome.existing
    id = existing.memory.id
    advice = (
        f"nothing was written: {id} may say the opposite ({outcome.reason}). If the new one is "
        f"right, call memory_save with supersedes [{id!r}]; allow_duplicate keeps both. Ask the "
        "user when in doubt."
    )
    structured: ToolSaveOutput = {
        "action": "contradiction",
        "id": id,
        "path": existing.path,
        "version": existing.digest,
        "advice": advice,
    }
    return ToolReply(structured, f"contradiction: {one_line(existing.memory.title)}; {advice}")


SAVE = Tool(
    "memory_save",
    "Save one fact for later sessions, with its reason; one sentence is enough. Secrets are removed. If a "
    "memory says it already, nothing is written and the result names it.",
    _SAVE_INPUTS,
    ToolSaveOutput,
    Hints(),
    save,
    instead="sentence",
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
