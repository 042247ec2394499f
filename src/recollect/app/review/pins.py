"""Pinned memories that nobody confirmed for long: are they still true?"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from recollect.app.project import Recollect
from recollect.app.review.source import ReviewDecision, ReviewItem, ReviewOutcome
from recollect.errors import InvalidError
from recollect.records.json_format import JsonObject
from recollect.records.record import Memory


@dataclass(frozen=True, slots=True)
class PinReview:
    """Pinned memories in force whose confirmation is old, the oldest first. Reads every memory."""

    recollect: Recollect
    kind: str = "pin"

    def items(self) -> Sequence[ReviewItem]:
        days = self.recollect.config.retrieval.pinned_days
        if not days:
            return []
        oldest = self.recollect.now - timedelta(days=days)
        pinned = {
            stored.memory.id: (stored.memory.pinned_at, stored.memory)
            for memories in (self.recollect.user_memories, self.recollect.memories)
            for stored in memories.scan().stored
            if stored.memory.pinned_at is not None and stored.memory.pinned_at < oldest
        }
        ordered = sorted(pinned.values(), key=lambda pair: (pair[0], pair[1].id))
        return [self._item(memory, since) for since, memory in ordered if self._in_force(memory)]

    def _in_force(self, memory: Memory) -> bool:
        return self.recollect.force(memory).is_in_force(self.recollect.now)

    def _item(self, memory: Memory, since: datetime) -> ReviewItem:
        return ReviewItem(
            self.kind,
            memory.id,
            memory.title,
            f"pinned, so every session gets it; last confirmed on {since:%Y-%m-%d}",
            {"keep": "it is still true", "edit": "change what it says", "drop": "unpin it"},
            (),
            memory.id,
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
