"""What waits for a person, as JSON."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

if TYPE_CHECKING:
    from recollect.app.review.source import ReviewItem, ReviewOutcome


class WaitingRow(TypedDict):
    """One thing that waits. `acts` says what each act does: keep, edit, merge, drop.

    `key` is a short name for commands. `asks` names the acts that cannot be undone. `memory` is the memory it
    is about, `document` what would be stored.
    """

    key: str
    kind: str
    id: str
    title: str
    reason: str
    acts: dict[str, str]
    asks: list[str]
    details: list[str]
    memory: NotRequired[str]
    document: NotRequired[dict[str, Any]]


class ReviewOutput(TypedDict):
    """Everything that waits for a person."""

    items: list[WaitingRow]


class DecidedRow(TypedDict):
    """A decision that was carried out."""

    key: str
    kind: str
    title: str
    text: str
    undo: dict[str, Any] | None


class DecidedOutput(TypedDict):
    """`review keep`, `drop`, `merge`, `edit` and `undo`: what was done, in order."""

    done: list[DecidedRow]


class ReviewActOutput(TypedDict):
    """What was done; `undo` is what takes it back, null where nothing does."""

    text: str
    undo: dict[str, Any] | None


def waiting_row(item: "ReviewItem") -> WaitingRow:
    """One thing that waits."""
    row: WaitingRow = {
        "key": item.key,
        "kind": item.kind,
        "id": item.id,
        "title": item.title,
        "reason": item.reason,
        "acts": dict(item.acts.items()),
        "asks": sorted(item.asks),
        "details": list(item.details),
    }
    if item.memory:
        row["memory"] = item.memory
    if item.document is not None:
        row["document"] = item.document
    return row


def review_output(items: "Sequence[ReviewItem]") -> ReviewOutput:
    """Everything that waits."""
    return {"items": [waiting_row(item) for item in items]}


def review_act_output(outcome: "ReviewOutcome") -> ReviewActOutput:
    """What was done."""
    return {"text": outcome.text, "undo": outcome.undo}


def decided_row(item: "ReviewItem", outcome: "ReviewOutcome") -> DecidedRow:
    """A decision that was carried out."""
    return {
        "key": item.key,
        "kind": item.kind,
        "title": item.title,
        "text": outcome.text,
        "undo": outcome.undo,
    }
