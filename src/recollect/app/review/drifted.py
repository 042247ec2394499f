"""Memories whose code changed since they were written."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.app.project import Recollect
from recollect.app.review import memory_acts
from recollect.app.review.source import ReviewDecision, ReviewItem, ReviewOutcome
from recollect.clock import to_text
from recollect.errors import InvalidError, NotFoundError
from recollect.records.anchors import AnchorState
from recollect.records.json_format import Json, JsonObject
from recollect.records.record import Memory

_MOST = 1_000  # memories with anchors that are looked at


@dataclass(frozen=True, slots=True)
class DriftReview:
    """Memories in force with an anchor whose code changed or is gone. No prompt gets them until then."""

    recollect: Recollect
    kind: str = "drift"

    def items(self) -> Sequence[ReviewItem]:
        now = to_text(self.recollect.now)
        index = self.recollect.finder.index
        documents = index.updated(lambda: index.reader().anchored(now, _MOST))
        tree = self.recollect.worktree
        drifted = [document for document in documents if tree.drifted(document.anchors)]
        return [
            self._item(self.recollect.get(document.id.removeprefix("mem:")).memory)
            for document in drifted
        ]

    def find(self, id: str) -> ReviewItem | None:
        memory = memory_acts.memory_in_force(self.recollect, id)
        if memory is None:
            return None
        states = [state for _, state in self.recollect.verdicts(memory)]
        return self._item(memory) if any(state is not AnchorState.FRESH for state in states) else None

    def _item(self, memory: Memory) -> ReviewItem:
        states = self.recollect.verdicts(memory)
        return ReviewItem(
            self.kind,
            memory.id,
            memory.title,
            "the code it describes changed, so it is not added to prompts",
            {
                "keep": "it is still true: anchor it to the current code",
                "edit": "change what it says",
                "drop": "retire it",
            },
            tuple(f"{path}: {state.value}" for path, state in states),
            memory.id,
        )

    def act(self, item: ReviewItem, decision: ReviewDecision) -> ReviewOutcome:
        if decision.act == "drop":
            return memory_acts.retire(self.recollect, item.id, "The code it described changed")
        stored = self.recollect.get(item.id)
        anchors = renewed_anchors(self.recollect, stored.memory)
        home = self.recollect.home_of(item.id)
        home.replace(stored, lambda _: {"anchors": anchors or None}, "Anchored again")
        old: list[Json] = [*stored.memory.rows("anchors")]
        return ReviewOutcome("Anchored to the current code.", {"id": item.id, "anchors": old})

    def undo(self, data: JsonObject) -> None:
        match data:
            case {"id": str(id), "anchors": list(rows)}:
                self.recollect.home_of(id).edit(id, lambda _: {"anchors": rows}, "Undone")
            case _:
                memory_acts.undo(self.recollect, data)


def renewed_anchors(recollect: Recollect, memory: Memory) -> list[Json]:
    """The anchors of a memory with the code as it is now; those whose file is gone are left out."""
    rows: list[Json] = []
    for row, (path, state) in zip(memory.rows("anchors"), recollect.verdicts(memory), strict=True):
        if state is AnchorState.FRESH:
            rows.append(row)
            continue
        place = f"{path}:{row['lines']}" if row.get("lines") else path
        try:
            rows.append(recollect.worktree.anchor(place, recollect.folder))
        except (InvalidError, NotFoundError):
            continue
    return rows
