"""A session: what it works on, its working memory, and the drafts it left."""

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

from recollect.working.session import WorkingMemory, elapsed
from recollect.working.view import Session, View


class SessionRow(TypedDict):
    """A session: its harness, when it started and was last seen, its goal, its number of items.

    `extracted` counts all items that rules made in it, `redacted` those from which a secret was removed.
    """

    id: str
    harness: str
    started_at: str
    seen_at: str
    goal: str
    items: int
    extracted: int
    redacted: int


def session_row(session: Session) -> SessionRow:
    """A session in a list."""
    return {
        "id": session.id,
        "harness": session.harness,
        "started_at": session.started_at,
        "seen_at": session.seen_at,
        "goal": session.goal,
        "items": session.items,
        "extracted": session.extracted,
        "redacted": session.redacted,
    }


class ToolItemRow(TypedDict):
    """An item in the answer of `working_memory`."""

    content: str
    attention: float
    kind: str
    age: int
    paths: list[str]


class ItemRow(ToolItemRow):
    """An item of working memory: its attention now, how many events it is old, its origin."""

    mentions: int
    tool: str
    rule: str
    redacted: bool


def item_rows(memory: WorkingMemory) -> list[ItemRow]:
    """The items of a working memory, the highest attention first."""
    return [
        {
            "content": item.content,
            "attention": round(attention, 4),
            "kind": item.kind,
            "age": elapsed(memory.event, item.last),
            "mentions": item.mentions,
            "tool": item.provenance.tool,
            "rule": item.provenance.rule,
            "redacted": item.provenance.redaction_applied,
            "paths": list(item.paths),
        }
        for item, attention in memory.ranked()
    ]


def tool_item_rows(memory: WorkingMemory) -> list[ToolItemRow]:
    """The items for `working_memory`."""
    return [
        {
            "content": row["content"],
            "attention": round(row["attention"], 2),
            "kind": row["kind"],
            "age": row["age"],
            "paths": row["paths"],
        }
        for row in item_rows(memory)
    ]


class FadedRow(TypedDict):
    """An item that left working memory; `reason` is faded, crowded out, replaced or resolved."""

    content: str
    kind: str
    reason: str
    event: int


class SessionOutput(TypedDict):
    """`recollect session show`. `session` is null when this project has had none."""

    session: SessionRow | None
    event: int
    items: list[ItemRow]
    faded: list[FadedRow]


class ToolWorkingOutput(TypedDict):
    """`working_memory`: only `items` when there is no session."""

    session: NotRequired[str]
    event: NotRequired[int]
    items: Sequence[Mapping[str, Any]]


def session_output(view: View | None) -> SessionOutput:
    """One session with its working memory and what left it."""
    if view is None:
        return {"session": None, "event": 0, "items": [], "faded": []}
    return {
        "session": session_row(view.session),
        "event": view.memory.event,
        "items": item_rows(view.memory),
        "faded": [
            {"content": item.content, "kind": item.kind, "reason": item.reason, "event": item.event}
            for item in view.left
        ],
    }


class SessionsOutput(TypedDict):
    """`recollect session list`."""

    sessions: list[SessionRow]


class DraftRow(TypedDict):
    """A draft and the memory that it would become."""

    name: str
    memory: dict[str, Any]


class DraftsOutput(TypedDict):
    """`recollect session drafts`."""

    drafts: list[DraftRow]


class AdoptOutput(TypedDict):
    """`recollect session adopt`: whether there was a database to adopt."""

    adopted: bool


class PruneOutput(TypedDict):
    """`recollect session prune`: how many past sessions it deleted."""

    pruned: int


class DropOutput(TypedDict):
    """`recollect session drop`: the name of the draft that was deleted."""

    dropped: str
