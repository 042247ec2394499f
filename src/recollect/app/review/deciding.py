"""Deciding about what waits: an act and its undo, remembered for later commands."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.app.gateway import Gateway, open_gateway
from recollect.app.person import require_person
from recollect.app.project import Recollect
from recollect.app.review.queue import ReviewQueue, review_queue
from recollect.app.review.source import Decisions, ReviewDecision, ReviewItem, ReviewOutcome
from recollect.errors import NotPermittedError, RefusedError
from recollect.records.json_format import JsonObject
from recollect.storage.files.decisions import FileDecisions


@dataclass(frozen=True, slots=True)
class Deciding:
    """The queue of a project for a person at a terminal. `refusal` says why they are none; else empty."""

    recollect: Recollect
    gateway: Gateway
    refusal: str = ""

    @property
    def queue(self) -> ReviewQueue:
        return review_queue(self.recollect, self.gateway, self.refusal)

    @property
    def decisions(self) -> Decisions:
        return FileDecisions(self.recollect.prepare_state_folder())

    def waiting(self, kind: str = "") -> Sequence[ReviewItem]:
        """What waits, or what of one kind does. Raises RefusedError for an unknown kind."""
        sources = [source for source in self.queue.sources if kind in ("", source.kind)]
        if not sources:
            kinds = ", ".join(source.kind for source in self.queue.sources)
            raise RefusedError(f"unknown kind {kind!r}; choose one of {kinds}.")
        return [item for source in sources for item in source.items()]

    def decide(self, item: ReviewItem, decision: ReviewDecision) -> ReviewOutcome:
        """Do what a person decided, and remember how to take it back. Raises NotPermittedError."""
        if self.refusal:
            raise NotPermittedError(self.refusal)
        outcome = self.queue.act(item.kind, item.id, decision)
        if outcome.undo is not None:
            entry: JsonObject = {"kind": item.kind, "title": item.title, "undo": outcome.undo}
            self.decisions.add(entry)
        return outcome

    def undo(self) -> str:
        """Take the last decision back; what it was about, or empty without one."""
        if self.refusal:
            raise NotPermittedError(self.refusal)
        match self.decisions.take():
            case {"kind": str(kind), "title": str(title), "undo": dict(data)}:
                self.queue.undo(kind, data)
                return title
        return ""


def deciding_in(recollect: Recollect) -> Deciding:
    """The queue as whoever runs this command may use it: an agent may only look."""
    try:
        require_person("deciding about items in review")
    except NotPermittedError as error:
        return Deciding(recollect, open_gateway(), str(error))
    return Deciding(recollect, open_gateway())
