"""Review: what waits for a person, what they decide, and taking it back."""

import json
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import Field

from recollect.app.project import Recollect
from recollect.app.review.queue import ReviewQueue, review_queue
from recollect.app.review.source import ReviewAct, ReviewDecision
from recollect.loopback.endpoint import ApiCall, Endpoint
from recollect.records.json_format import JsonObject, parse
from recollect.team.roles import Permission
from recollect.views.review import ReviewActOutput, ReviewOutput, review_act_output, review_output
from recollect.web.page import WebPage, in_project

Call = ApiCall[WebPage]
_Kind = Annotated[str, Field(min_length=1, max_length=40)]


@dataclass(frozen=True, slots=True)
class DecisionBody:
    """What a person decided about an item. A merge has a `target`, an edit `fields`."""

    kind: _Kind
    id: Annotated[str, Field(min_length=1, max_length=1_000)]
    act: ReviewAct
    target: Annotated[str, Field(max_length=300)] = ""
    fields: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UndoBody:
    """The `undo` that an act answered."""

    kind: _Kind
    undo: dict[str, Any]


def _queue(recollect: Recollect, call: Call) -> ReviewQueue:
    return review_queue(recollect, call.door.gateway, call.door.refusal_to(call.principal))


def _list(recollect: Recollect, call: Call) -> ReviewOutput:
    return review_output(_queue(recollect, call).items())


def _act(recollect: Recollect, call: Call) -> ReviewActOutput:
    body: DecisionBody = call.body
    decision = ReviewDecision(body.act, body.target, _json(body.fields))
    return review_act_output(_queue(recollect, call).act(body.kind, body.id, decision))


def _undo(recollect: Recollect, call: Call) -> ReviewActOutput:
    body: UndoBody = call.body
    _queue(recollect, call).undo(body.kind, _json(body.undo))
    return {"text": "Undone.", "undo": None}


def _json(value: dict[str, Any]) -> JsonObject:
    return parse(json.dumps(value).encode(), "the request")


ENDPOINTS: tuple[Endpoint[WebPage], ...] = (
    Endpoint(
        "GET",
        "review",
        Permission.READ_MEMORIES,
        "What is waiting for a person; takes a second with many memories.",
        ReviewOutput,
        in_project(_list, slow=True),
    ),
    Endpoint(
        "POST",
        "review",
        Permission.REVIEW,
        "Decide.",
        ReviewActOutput,
        in_project(_act, slow=True),
        body=DecisionBody,
    ),
    Endpoint(
        "POST",
        "review/undo",
        Permission.REVIEW,
        "Undo a decision.",
        ReviewActOutput,
        in_project(_undo, slow=True),
        body=UndoBody,
    ),
)
