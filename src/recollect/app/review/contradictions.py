"""Memories that contradict each other and are both in force."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.app.project import Recollect
from recollect.app.review import memory_acts
from recollect.app.review.source import ReviewDecision, ReviewItem, ReviewOutcome
from recollect.graph.causal import Edge
from recollect.records.json_format import JsonObject
from recollect.records.record import LinkType, Memory


@dataclass(frozen=True, slots=True)
class ContradictionReview:
    """Pairs that a link declares contradictory. The older one of a pair is what an act drops."""

    recollect: Recollect
    kind: str = "contradiction"

    def items(self) -> Sequence[ReviewItem]:
        items = [self._item(key, edge) for key, edge in self._pairs().items()]
        return [item for item in items if item is not None]

    def find(self, id: str) -> ReviewItem | None:
        edge = self._pairs().get(id)
        return self._item(id, edge) if edge else None

    def _pairs(self) -> dict[str, Edge]:
        edges = self.recollect.graphs.edges()
        pairs = {_key(edge): edge for edge in edges if edge.type is LinkType.CONTRADICTS}
        dismissed = memory_acts.dismissals(self.recollect).all()
        return {key: edge for key, edge in pairs.items() if f"{self.kind} {key}" not in dismissed}

    def _item(self, key: str, edge: Edge) -> ReviewItem | None:
        graphs, now = self.recollect.graphs, self.recollect.now
        ends = [memory for id in (edge.source, edge.target) if (memory := graphs.memory(id))]
        in_force = [memory for memory in ends if self.recollect.force(memory).is_in_force(now)]
        if len(in_force) < 2:
            return None
        older, newer = sorted(in_force, key=_age)
        return ReviewItem(
            self.kind,
            key,
            f"{newer.title} — contradicts — {older.title}",
            "both are in force, and an agent may get either",
            {
                "keep": "both are right",
                "edit": f"change {newer.id}",
                "drop": f"retire the older one, {older.id}",
            },
            (edge.evidence,) if edge.evidence else (),
            newer.id,
        )

    def act(self, item: ReviewItem, decision: ReviewDecision) -> ReviewOutcome:
        if decision.act == "keep":
            return memory_acts.dismiss(self.recollect, f"{self.kind} {item.id}", "Both stay.")
        [older] = [id for id in item.id.split(" ") if id != item.memory]
        return memory_acts.retire(self.recollect, older, f"Contradicted by {item.memory}")

    def undo(self, data: JsonObject) -> None:
        memory_acts.undo(self.recollect, data)


def _key(edge: Edge) -> str:
    return " ".join(sorted(id.removeprefix("mem:") for id in (edge.source, edge.target)))


def _age(memory: Memory) -> tuple[str, str]:
    return memory.created_at.isoformat(), memory.id
