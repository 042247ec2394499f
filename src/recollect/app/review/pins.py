"""Pinned memories that nobody confirmed for long: are they still true?"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from recollect.app.project import Recollect
from recollect.app.review.memory_acts import memory_in_force
from recollect.app.review.source import ReviewDecision, ReviewItem, ReviewOutcome
from recollect.clock import to_text
from recollect.errors import InvalidError
from recollect.records.json_format import JsonObject
from recollect.retrieval.index import Document


@dataclass(frozen=True, slots=True)
class PinReview:
    """Pinned memories in force whose confirmation is old, the oldest first."""

    recollect: Recollect
    kind: str = "pin"

    def items(self) -> Sequence[ReviewItem]:
        pinned = self.recollect.finder.index.pinned(to_text(self.recollect.now))
        by_id: dict[str, Document] = {}
        for document in sorted(pinned, key=lambda document: document.priority):
            by_id.setdefault(document.id.removeprefix("mem:"), document)
        oldest = self._oldest()
        old = [
            (document.pinned_at, id) for id, document in by_id.items() if document.pinned_at < oldest
        ]
        return [self._item(id, by_id[id].title, since) for since, id in sorted(old)]

    def find(self, id: str) -> ReviewItem | None:
        memory = memory_in_force(self.recollect, id)
        if memory is None or memory.pinned_at is None:
            return None
        since = to_text(memory.pinned_at)
        return self._item(id, memory.title, since) if since < self._oldest() else None

    def _oldest(self) -> str:
        """A confirmation before this moment is old; empty where none ever is."""
        days = self.recollect.config.retrieval.pinned_days
        return to_text(self.recollect.now - timedelta(days=days)) if days else ""

    def _item(self, id: str, title: str, since: str) -> ReviewItem:
        return ReviewItem(
            self.kind,
            id,
            title,
            f"pinned, so every session gets it; last confirmed on {since[:10]}",
            {"keep": "it is still true", "edit": "change what it says", "drop": "unpin it"},
            (),
            id,
        )

    def act(self, item: ReviewItem, decision: ReviewDecision) -> ReviewOutcome:
        home = self.recollect.home_of(item.id)
        before = home.get(item.id).memory.document["pinned_at"]
        undo: JsonObject = {"id": item.id, "pinned_at": before}
        if decision.act == "drop":
            home.unpin(item.id)
            return ReviewOutcome(f"Unpinned {item.id}.", undo)
        home.pin(item.id)
        return ReviewOutcome(f"Confirmed {item.id}.", undo)

    def undo(self, data: JsonObject) -> None:
        match data:
            case {"id": str(id), "pinned_at": str(moment)}:
                self.recollect.home_of(id).edit(id, lambda _: {"pinned_at": moment}, "Undone")
            case _:
                raise InvalidError("this does not undo any decision about a pin.")
