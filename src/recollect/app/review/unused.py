"""Memories that were injected often and never used."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.app.project import Recollect
from recollect.app.review import memory_acts
from recollect.app.review.source import ReviewDecision, ReviewItem, ReviewOutcome
from recollect.records.json_format import JsonObject
from recollect.working.session_state import Impact

UNUSED_BEFORE_REVIEW = 5  # injections without any use, after which a person should review the memory


@dataclass(frozen=True, slots=True)
class UnusedReview:
    """Memories in force that cost every prompt tokens and helped none."""

    recollect: Recollect
    kind: str = "unused"

    def items(self) -> Sequence[ReviewItem]:
        dismissed = memory_acts.dismissals(self.recollect).all()
        items = [self._item(impact) for impact in self._unused()]
        return [item for item in items if item and self._key(item.id) not in dismissed]

    def find(self, id: str) -> ReviewItem | None:
        impact = next((impact for impact in self._unused() if impact.memory == f"mem:{id}"), None)
        item = self._item(impact) if impact else None
        dismissed = memory_acts.dismissals(self.recollect).all()
        return item if item and self._key(id) not in dismissed else None

    def _unused(self) -> list[Impact]:
        return [
            impact
            for impact in self.recollect.sessions.impact()
            if impact.injected >= UNUSED_BEFORE_REVIEW and not impact.used
        ]

    def _key(self, id: str) -> str:
        return f"{self.kind} {id} {self.recollect.get(id).digest[:12]}"

    def _item(self, impact: Impact) -> ReviewItem | None:
        id = impact.memory.removeprefix("mem:")
        memory = memory_acts.memory_in_force(self.recollect, id)
        if memory is None or memory.pinned_at:
            return None  # a pinned memory is given for its own sake
        return ReviewItem(
            self.kind,
            id,
            memory.title,
            f"it was injected into {impact.injected} prompts, and none of them used it",
            {"keep": "keep it: it is useful", "edit": "change what it says", "drop": "retire it"},
            (),
            id,
        )

    def act(self, item: ReviewItem, decision: ReviewDecision) -> ReviewOutcome:
        if decision.act == "drop":
            return memory_acts.retire(self.recollect, item.id, "Injected often and never used")
        return memory_acts.dismiss(
            self.recollect, self._key(item.id), "Kept; it is not listed again until it changes."
        )

    def undo(self, data: JsonObject) -> None:
        memory_acts.undo(self.recollect, data)
