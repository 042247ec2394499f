"""One memory as the page shows it, its form, and what an edit answers."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NotRequired, TypedDict

from recollect.app.search import TagCount
from recollect.errors import Problem
from recollect.graph.causal import Edge
from recollect.ids import UnifiedId, as_skill
from recollect.records.anchors import AnchorState
from recollect.records.categories import SHAPES, Category
from recollect.records.fields import Choice, Field, Flag, Listing, Object, Text
from recollect.records.in_force import Force
from recollect.records.links import MEANINGS
from recollect.records.record import Memory
from recollect.records.revisions import Revision
from recollect.records.store import Stored
from recollect.views.memories import AnchorRow, MemoryRow, anchor_rows


class LinkedRow(TypedDict):
    """A link of a memory, read from that memory: `phrase` says how it relates to `id`.

    `holds` says whether the memory stores the link; `title` and `category` are those of the other end, null
    where it is a skill or missing.
    """

    id: str
    type: str
    phrase: str
    holds: bool
    title: str | None
    category: str | None
    evidence: str | None


class MemoryPageOutput(TypedDict):
    """A memory in full. `version` names what was read; an edit sends it back.

    `scope` is project or user.
    """

    id: str
    path: str
    version: str
    scope: str
    memory: dict[str, Any]
    anchors: list[AnchorRow]
    links: list[LinkedRow]
    in_force: bool
    superseded_by: list[str]
    not_in_force: NotRequired[str]


class MemoryPagesOutput(TypedDict):
    """A page of the memories that pass, the last changed first, and how many pass in all."""

    total: int
    offset: int
    memories: list[MemoryRow]


class TagRow(TypedDict):
    """How many memories have a tag."""

    tag: str
    memories: int


class FormField(TypedDict):
    """A field of a memory's content. `kind` is text, choice, flag, lines, rows or group.

    A choice has `choices`; rows (a list of objects) and a group (one object) have `fields`.
    """

    name: str
    kind: str
    help: str
    required: bool
    choices: list[str]
    fields: "list[FormField]"


class CategoryForm(TypedDict):
    """A category: what it is for, and the fields of its content."""

    category: str
    purpose: str
    fields: list[FormField]


class MemoryFormsOutput(TypedDict):
    """What memories can be filtered and edited by."""

    categories: list[CategoryForm]
    link_types: list[str]
    tags: list[TagRow]


class ProblemRow(TypedDict):
    """What is wrong with a field."""

    field: str
    message: str


class CheckOutput(TypedDict):
    """What is wrong with an edit before it is saved, and the fields that it would change."""

    problems: list[ProblemRow]
    changed: list[str]


class ConflictOutput(TypedDict):
    """The memory changed since `expected` was read; `current` is what it says now. Nothing was written."""

    error: str
    expected: str
    current: MemoryPageOutput


class ProblemsOutput(TypedDict):
    """An edit that is not a valid memory. Nothing was written."""

    error: str
    problems: list[ProblemRow]


class RevisionRow(TypedDict):
    """A change of a memory's file; `revision` finds its texts."""

    revision: str
    at: str
    author: str
    summary: str


class ChangeRow(TypedDict):
    """A change that the memory records itself."""

    at: str
    summary: str


class HistoryOutput(TypedDict):
    """The history of a memory, the newest first: its file in git, and its own record of changes."""

    revisions: list[RevisionRow]
    changes: list[ChangeRow]


class RevisionOutput(TypedDict):
    """A memory's file before and after a change."""

    before: str
    after: str


def memory_page_output(
    stored: Stored,
    verdicts: Iterable[tuple[str, AnchorState]],
    force: Force,
    now: datetime,
    links: Sequence[LinkedRow],
    scope: str,
) -> MemoryPageOutput:
    """A memory in full."""
    out: MemoryPageOutput = {
        "id": stored.memory.id,
        "path": stored.path,
        "version": stored.digest,
        "scope": scope,
        "memory": stored.memory.document,
        "anchors": anchor_rows(verdicts),
        "links": list(links),
        "in_force": force.is_in_force(now),
        "superseded_by": list(force.superseded_by(now)),
    }
    if reason := force.reason(now):
        out["not_in_force"] = reason
    return out


def linked_row(edge: Edge, of: UnifiedId, other: Memory | None) -> LinkedRow:
    """A link as it reads from the memory `of`."""
    meaning = MEANINGS[edge.type]
    holds = edge.source == of
    explains = edge.reason == of
    id = edge.other(of)
    return {
        "id": id if as_skill(id) else id.removeprefix("mem:"),
        "type": edge.type.value,
        "phrase": meaning.forth if explains else meaning.back,
        "holds": holds,
        "title": other.title if other else None,
        "category": other.category.value if other else None,
        "evidence": edge.evidence,
    }


def category_forms() -> list[CategoryForm]:
    """The form of each category."""
    return [
        {
            "category": category.value,
            "purpose": SHAPES[category].purpose,
            "fields": [_form_field(field) for field in SHAPES[category].fields],
        }
        for category in Category
    ]


def _form_field(field: Field) -> FormField:
    kind, choices, fields = _form_kind(field)
    return {
        "name": field.name,
        "kind": kind,
        "help": field.help,
        "required": field.required,
        "choices": choices,
        "fields": fields,
    }


def _form_kind(field: Field) -> tuple[str, list[str], list[FormField]]:
    match field.kind:
        case Choice(values):
            return "choice", list(values), []
        case Flag():
            return "flag", [], []
        case Listing(Text()):
            return "lines", [], []
        case Listing(Object(fields)):
            return "rows", [], [_form_field(inner) for inner in fields]
        case Object(fields):
            return "group", [], [_form_field(inner) for inner in fields]
        case _:
            return "text", [], []


def tag_rows(counts: Iterable[TagCount]) -> list[TagRow]:
    """Tags with their counts."""
    return [{"tag": count.tag, "memories": count.memories} for count in counts]


def problem_rows(problems: Iterable[Problem]) -> list[ProblemRow]:
    """Problems of fields."""
    return [{"field": problem.field, "message": problem.message} for problem in problems]


def history_output(memory: Memory, revisions: Sequence[Revision]) -> HistoryOutput:
    """The history of a memory."""
    changes = reversed(memory.rows("changes"))
    return {
        "revisions": [
            {"revision": row.name, "at": row.at, "author": row.author, "summary": row.summary}
            for row in revisions
        ],
        "changes": [{"at": str(row["date"]), "summary": str(row["summary"])} for row in changes],
    }
