"""The traces of a project: recorded in memory while it is used, and written many at a time."""

import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from recollect import clock
from recollect.app.state_source import StateSource
from recollect.errors import RecollectError
from recollect.learning.open_scorings import Attachment, OpenScorings
from recollect.learning.ports import TraceStore
from recollect.learning.scorings import search_candidates
from recollect.learning.trace import CandidateTrace, Kind, Scoring, context_digest
from recollect.retrieval.fusion import Explanation
from recollect.retrieval.search import Answer

if TYPE_CHECKING:
    from recollect.learning.predictor_choice import PredictorChoice

BATCH = 256  # scorings that wait in memory at most
TRACED_HITS = 5  # of a search: the others are seldom read, and cost as much

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class _Search:
    """A search that is still to be made a scoring of: that takes as long as it is written."""

    id: str
    at: datetime
    context: str
    session: str
    hits: Sequence[tuple[str, Explanation]]  # without the documents, which are large
    milliseconds: float

    def scoring(self) -> Scoring:
        params, candidates = search_candidates(self.hits)
        at = clock.to_text(self.at)
        return Scoring(
            self.id,
            at,
            "retrieval",
            self.context,
            params,
            candidates,
            None,
            self.milliseconds,
            self.session,
        )


@dataclass(slots=True)
class ProjectTraces:
    """Traces of one memory root. What is recorded waits until `write`; an error of the database loses it.

    Reading creates no database.
    """

    state: StateSource
    now: Callable[[], datetime]
    enabled: bool = True
    _searches: list[_Search] = field(default_factory=list)
    _attachments: list[Attachment] = field(default_factory=list)
    _open: OpenScorings = field(default_factory=OpenScorings)

    def searched(self, text: str, session: str, answer: Answer, milliseconds: float) -> None:
        """Record the best hits of a search."""
        if not self.enabled or not answer.hits:
            return
        id = new_id()
        hits = [(hit.document.id, hit.explanation) for hit in answer.hits[:TRACED_HITS]]
        digest = context_digest(text)
        self._searches.append(_Search(id, self.now(), digest, session, hits, milliseconds))
        self._open.add("", id, (name for name, _ in hits))
        if len(self._searches) >= BATCH:
            self.write()

    def read(self, candidate: str) -> None:
        """Record that a memory was read: the last search that found it was successful."""
        chosen = self._open.choose("", candidate, "selected") if self.enabled else None
        if chosen is not None:
            self._attachments.append(chosen)

    def write(self) -> None:
        """Write what was recorded."""
        searches, attachments = self._searches, self._attachments
        self._searches, self._attachments = [], []
        if not (searches or attachments):
            return
        with suppress(RecollectError, OSError):
            self.state.prepare()
            self._with(lambda store: self._add(store, searches, attachments))

    def _add(
        self, store: TraceStore, searches: Sequence[_Search], attachments: Sequence[Attachment]
    ) -> None:
        if searches:
            store.add([search.scoring() for search in searches], clock.to_text(self.now()))
        store.attach(attachments)

    def latest(
        self, limit: int, kind: Kind | None = None, *, with_outcome: bool = False
    ) -> Sequence[CandidateTrace]:
        """The newest traces, with the outcomes that are known by now."""

        def query(store: TraceStore) -> Sequence[CandidateTrace]:
            store.settle(clock.to_text(self.now()))
            return store.latest(limit, kind, with_outcome=with_outcome)

        return self._read(query, ())

    def of_scoring(self, start: str) -> Sequence[CandidateTrace]:
        """The candidates of the scoring whose id begins so; none if there is not exactly one."""
        return self._read(lambda store: store.of_scoring(start), ())

    def predictor(self) -> "tuple[int, PredictorChoice]":
        """How many sequences of calls there are, and the predictor of the next tool that suits them."""
        from recollect.app.next_tools import choice_of  # noqa: PLC0415 - few commands predict
        from recollect.learning.predictor_choice import PredictorChoice  # noqa: PLC0415

        if not self.state.exists():
            return 0, PredictorChoice()
        stores = self.state.open()
        try:
            return choice_of(stores.sequences)
        finally:
            stores.close()

    def _read(self, query: Callable[[TraceStore], _T], default: _T) -> _T:
        self.write()
        return self._with(query) if self.state.exists() else default

    def _with(self, work: Callable[[TraceStore], _T]) -> _T:
        stores = self.state.open()
        try:
            return work(stores.traces)
        finally:
            stores.close()


def new_id() -> str:
    """The id of a new scoring."""
    return secrets.token_hex(6)
