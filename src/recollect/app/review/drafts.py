"""Drafted session summaries and runbooks."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.app.project import Recollect
from recollect.app.review.source import ReviewDecision, ReviewItem, ReviewOutcome
from recollect.errors import ConflictError, InvalidError, NotFoundError, RefusedError
from recollect.records.json_format import Json, JsonObject
from recollect.records.memories import Repeats
from recollect.records.record import Memory
from recollect.records.store import Stored
from recollect.working.draft import StoredDraft

_EDITED = ("title", "tags", "related_files", "content")


@dataclass(frozen=True, slots=True)
class DraftReview:
    """Drafts of a project, which become memories only by a person."""

    recollect: Recollect
    kind: str = "draft"

    def items(self) -> Sequence[ReviewItem]:
        drafts = self.recollect.sessions.drafts.all()
        return [self._item(draft) for draft in drafts if not draft.evidence]

    def find(self, id: str) -> ReviewItem | None:
        draft = waiting_draft(self.recollect, id)
        return self._item(draft) if draft and not draft.evidence else None

    def _item(self, draft: StoredDraft) -> ReviewItem:
        name = str(draft.document.get("category") or "memory").replace("_", " ")
        return ReviewItem(
            self.kind,
            draft.name,
            str(draft.document.get("title") or draft.name),
            f"a {name} that {_origin(draft)}",
            {
                "keep": "save it as a memory",
                "edit": "change it first",
                "merge": "add it to a memory of its kind",
                "drop": "delete it",
            },
            document=draft.document,
        )

    def act(self, item: ReviewItem, decision: ReviewDecision) -> ReviewOutcome:
        draft = self.recollect.sessions.drafts.get(item.id)
        match decision.act:
            case "keep":
                return self._keep(draft)
            case "edit":
                return self._edit(draft, decision.fields)
            case "merge":
                return self._merge(draft, decision.target)
            case "drop":
                self.recollect.sessions.drafts.drop(draft.name)
                return ReviewOutcome(f"Dropped the draft {item.title!r}.", _again(draft))

    def _keep(self, draft: StoredDraft) -> ReviewOutcome:
        sessions = self.recollect.sessions
        before = self._readable(sessions.summary_of(draft.session))
        result = sessions.keep(draft.name)
        if isinstance(result, Repeats):
            id = result.existing.memory.id
            raise RefusedError(f"memory {id!r} already says this; merge the draft into it, or drop it.")
        id = result.stored.memory.id
        undo = _again(draft) | {"version": result.stored.digest, "id": id}
        if before is not None and result.action != "created":
            undo["fields"] = {name: before.memory.document.get(name) for name in (*_EDITED, "source")}
        return ReviewOutcome(f"Saved as {id}.", undo)

    def _edit(self, draft: StoredDraft, fields: JsonObject) -> ReviewOutcome:
        if unknown := sorted(set(fields) - set(_EDITED)):
            raise InvalidError(f"the field {unknown[0]!r} of a draft cannot be edited.")
        document = {**draft.document, **fields}
        document = {name: value for name, value in document.items() if value is not None}
        self.recollect.sessions.drafts.put(draft.name, document)
        return ReviewOutcome("Changed the draft.", _again(draft))

    def _merge(self, draft: StoredDraft, target: str) -> ReviewOutcome:
        stored = self.recollect.get(target)
        memory = stored.memory
        if memory.category.value != draft.document.get("category"):
            raise RefusedError(f"memory {memory.id!r} is a {memory.category}, but the draft is not.")
        home = self.recollect.home_of(memory.id)
        saved = home.replace(stored, lambda old: _joined(old, draft.document), "Merged a draft into it")
        self.recollect.sessions.drafts.drop(draft.name)
        fields: JsonObject = {name: memory.document.get(name) for name in ("tags", "content")}
        undo = _again(draft) | {"id": memory.id, "version": saved.stored.digest, "fields": fields}
        return ReviewOutcome(f"Merged into {memory.id}.", undo)

    def undo(self, data: JsonObject) -> None:
        match data:
            case {"draft": str(name), "document": dict(document)}:
                self._undo_memory(data)
                self.recollect.sessions.drafts.put(name, document)
            case _:
                raise InvalidError("this does not undo any decision about a draft.")

    def _undo_memory(self, data: JsonObject) -> None:
        """Take back what an act wrote, unless it was changed since."""
        id, version, fields = data.get("id"), data.get("version"), data.get("fields")
        if not isinstance(id, str) or not isinstance(version, str):
            return
        stored = self.recollect.get(id)
        if stored.digest != version:
            raise ConflictError(id, version, stored.digest, None)
        home = self.recollect.home_of(id)
        if isinstance(fields, dict):
            home.replace(stored, lambda _: fields, "Undone")
        elif not stored.memory.times_updated:
            with home.store.writing():
                home.store.delete(stored)  # what the act saved, unchanged since

    def _readable(self, id: str) -> Stored | None:
        try:
            return self.recollect.get(id) if id else None
        except (NotFoundError, InvalidError):
            return None


def waiting_draft(recollect: Recollect, name: str) -> StoredDraft | None:
    """The draft of that name, if it is still there."""
    try:
        return recollect.sessions.drafts.get(name)
    except NotFoundError:
        return None


def _origin(draft: StoredDraft) -> str:
    source = draft.document.get("source")
    if isinstance(source, dict) and source.get("kind") == "agent":
        return "an agent proposed"
    return f"was drafted from session {draft.session[:12]}" if draft.session else "was drafted"


def _again(draft: StoredDraft) -> JsonObject:
    """What puts a draft back."""
    return {"draft": draft.name, "document": draft.document}


def _joined(old: Memory, document: JsonObject) -> JsonObject:
    """A memory with the tags and lines that a document of its category has and it lacks; texts stay."""
    content, added = old.content, document.get("content")
    for name, value in (added if isinstance(added, dict) else {}).items():
        before = content.get(name)
        if before is None:
            content[name] = value
        elif isinstance(before, list) and isinstance(value, list):
            content[name] = _union(before, value)
    tags = document.get("tags")
    return {
        "tags": _union(list[Json](old.tags), tags if isinstance(tags, list) else []),
        "content": content,
    }


def _union(rows: list[Json], added: list[Json]) -> list[Json]:
    return rows + [row for row in added if row not in rows]
