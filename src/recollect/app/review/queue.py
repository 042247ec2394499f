"""One queue of everything that waits for a person."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from recollect.app.gateway import Gateway
from recollect.app.project import Recollect
from recollect.app.review.approvals import ApprovalReview
from recollect.app.review.contradictions import ContradictionReview
from recollect.app.review.drafts import DraftReview
from recollect.app.review.drifted import DriftReview
from recollect.app.review.pins import PinReview
from recollect.app.review.source import ReviewDecision, ReviewItem, ReviewOutcome, ReviewSource
from recollect.app.review.statements import StatementReview
from recollect.app.review.suggested_links import LinkReview
from recollect.app.review.tool_changes import ToolChangeReview
from recollect.app.review.unused import UnusedReview
from recollect.app.run_store import RunStore, open_run_store
from recollect.errors import NotFoundError, RefusedError
from recollect.records.json_format import JsonObject

_SHORTEST = 4  # signs of a key that may stand for it


@dataclass(frozen=True, slots=True)
class ReviewQueue:
    """The sources in the order in which a person sees their items."""

    sources: Sequence[ReviewSource]

    def items(self) -> list[ReviewItem]:
        """Everything that waits."""
        return [item for source in self.sources for item in source.items()]

    def act(self, kind: str, id: str, decision: ReviewDecision) -> ReviewOutcome:
        """Do what a person decided about an item. Raises NotFoundError when it waits no more."""
        source = self._source(kind)
        item = source.find(id)
        if item is None:
            raise NotFoundError(f"{id!r} is no longer waiting: it changed, or someone already decided.")
        if decision.act not in item.acts:
            raise RefusedError(f"{decision.act!r} is not a valid action for {id!r}.")
        return source.act(item, decision)

    def item(self, name: str) -> ReviewItem:
        """The item with that key, the beginning of it, or that id. Raises NotFoundError."""
        begins: list[ReviewItem] = []
        for source in self.sources:  # one after the other: the last ones read every memory
            for item in source.items():
                if name in (item.key, item.id):
                    return item
                if item.key.startswith(name) and len(name) >= _SHORTEST:
                    begins.append(item)
        if begins:
            return begins[0]
        raise NotFoundError(
            f"nothing with the key {name!r} is waiting; `recollect review list` lists the keys."
        )

    def undo(self, kind: str, data: JsonObject) -> None:
        """Take an act back."""
        self._source(kind).undo(data)

    def _source(self, kind: str) -> ReviewSource:
        for source in self.sources:
            if source.kind == kind:
                return source
        raise NotFoundError(f"unknown kind of review item: {kind!r}.")


def review_queue(recollect: Recollect, gateway: Gateway, refusal: str = "") -> ReviewQueue:
    """The queue of a project and of the user's tools.

    `refusal` says why calls and tools may not be decided about here.
    """
    return ReviewQueue(
        (
            ApprovalReview(partial(_stored_runs, recollect, gateway), gateway, refusal),
            StatementReview(recollect),
            DraftReview(recollect),
            ToolChangeReview(gateway, refusal),
            DriftReview(recollect),
            ContradictionReview(recollect),
            PinReview(recollect),
            UnusedReview(recollect),
            LinkReview(recollect),
        )
    )


def _stored_runs(recollect: Recollect, gateway: Gateway) -> RunStore | None:
    """The runs of a project; None while nothing was stored there."""
    return open_run_store(gateway, recollect.folder) if recollect.state.exists() else None
