"""Links that may be missing between memories."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.app.project import Recollect
from recollect.app.review import memory_acts
from recollect.app.review.source import ReviewDecision, ReviewItem, ReviewOutcome
from recollect.graph.suggest import Suggestion, suggestions
from recollect.ids import parse_unified
from recollect.records.json_format import JsonObject
from recollect.records.record import Link, LinkType

_MOST = 100  # more are suggested when these are settled


@dataclass(frozen=True, slots=True)
class LinkReview:
    """Suggested links. Finding them reads every memory of the project."""

    recollect: Recollect
    kind: str = "link"

    def items(self) -> Sequence[ReviewItem]:
        memories = [stored.memory for stored in self.recollect.memories.scan().stored]
        dismissed = memory_acts.dismissals(self.recollect).all()
        titles = {memory.unified_id: memory.title for memory in memories}
        missing = suggestions(memories, self.recollect.now)
        items = [
            ReviewItem(
                self.kind,
                _id(suggestion),
                f"{titles[suggestion.source]} — {suggestion.type.replace('_', ' ')} — "
                f"{titles.get(suggestion.target, suggestion.target)}",
                f"this link may be missing: {suggestion.reason}",
                {"keep": "add the link", "drop": "stop suggesting it"},
                (suggestion.evidence,) if suggestion.evidence else (),
                suggestion.source.removeprefix("mem:"),
            )
            for suggestion in missing
        ]
        return [item for item in items if f"{self.kind} {item.id}" not in dismissed][:_MOST]

    def find(self, id: str) -> ReviewItem | None:
        return next((item for item in self.items() if item.id == id), None)

    def act(self, item: ReviewItem, decision: ReviewDecision) -> ReviewOutcome:
        if decision.act == "drop":
            text = "It will not be suggested again."
            return memory_acts.dismiss(self.recollect, f"{self.kind} {item.id}", text)
        source, type, target = item.id.split(" ")
        link = Link(LinkType(type), parse_unified(target), next(iter(item.details), None))
        self.recollect.home_of(source).link(source, link, find=self.recollect.get)
        return ReviewOutcome("Added the link.", {"source": source, "type": type, "target": target})

    def undo(self, data: JsonObject) -> None:
        match data:
            case {"source": str(source), "type": str(type), "target": str(target)}:
                home = self.recollect.home_of(source)
                home.unlink(source, LinkType(type), parse_unified(target))
            case _:
                memory_acts.undo(self.recollect, data)


def _id(suggestion: Suggestion) -> str:
    return f"{suggestion.source.removeprefix('mem:')} {suggestion.type.value} {suggestion.target}"
