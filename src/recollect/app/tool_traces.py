"""Traces of discovery and planning, with what the calls and runs that followed made of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from recollect import clock
from recollect.app.traces import new_id
from recollect.gateway import weights
from recollect.gateway.discovery import Discovery
from recollect.gateway.receipts import Outcome as CallOutcome
from recollect.learning.open_scorings import Attachment, OpenScorings
from recollect.learning.ports import TraceStore
from recollect.learning.tool_scorings import discovery_candidates, plan_candidate
from recollect.learning.trace import Outcome, ScoredCandidate, Scoring, context_digest
from recollect.workflow.plan import Plan
from recollect.workflow.prediction import NextTool

_MOST_WAITING = (
    1_000  # scorings and outcomes that wait to be written; a database that is away loses the rest
)
_MOST_RUNS = 200  # runs of plans that have not ended


@dataclass(slots=True)
class ToolTraces:
    """What waits to be written. Recording opens no file."""

    now: Callable[[], datetime]
    enabled: bool = True
    _scorings: list[Scoring] = field(default_factory=list)
    _attachments: list[Attachment] = field(default_factory=list)
    _open: OpenScorings = field(default_factory=OpenScorings)
    _predictions: OpenScorings = field(default_factory=OpenScorings)
    _plans: dict[str, str] = field(default_factory=dict)  # of runs

    def discovered(self, session: str, text: str, discovery: Discovery, milliseconds: float) -> None:
        """Tools were found for a request."""
        params, candidates = discovery_candidates(discovery)
        limit = float(weights.FITS)
        self._add(
            Scoring(
                new_id(),
                clock.to_text(self.now()),
                "discovery",
                context_digest(text),
                params,
                candidates,
                limit,
                milliseconds,
                session,
            )
        )

    def planned(self, plan: str, text: str, planned: Plan, milliseconds: float) -> None:
        """A plan of that id was made for a request."""
        params, candidate = plan_candidate(plan, planned)
        at, digest = clock.to_text(self.now()), context_digest(text)
        scoring = Scoring(new_id(), at, "plan", digest, params, [candidate], milliseconds=milliseconds)
        self._add(scoring)

    def predicted(
        self,
        session: str,
        recent: Sequence[str],
        predictions: Sequence[NextTool],
        slope: float,
        shift: float,
    ) -> None:
        """Tools were predicted to be called next."""
        params = {"PREDICTION_SLOPE": slope, "PREDICTION_SHIFT": shift}
        candidates = [
            ScoredCandidate(each.tool, {"raw": each.raw}, each.probability) for each in predictions
        ]
        at, digest = clock.to_text(self.now()), context_digest(" ".join(recent))
        self._add(
            Scoring(new_id(), at, "prediction", digest, params, candidates, session=session),
            self._predictions,
        )

    def called(self, session: str, tool: str, outcome: CallOutcome) -> None:
        """A tool was called. Wrong arguments are not the tool's failure."""
        results: dict[CallOutcome, Outcome] = {"ok": "succeeded", "bad_arguments": "selected"}
        self._choose(self._predictions, session, tool, "selected")
        self._choose(self._open, session, tool, results.get(outcome, "failed"))

    def started(self, run: str, plan: str) -> None:
        """A run of a plan began."""
        self._plans[run] = plan
        if len(self._plans) > _MOST_RUNS:
            del self._plans[next(iter(self._plans))]

    def ended(self, run: str, *, succeeded: bool) -> None:
        """A run ended; nothing for one that was not made from a plan."""
        if (plan := self._plans.pop(run, None)) is not None:
            self._choose(self._open, "", plan, "succeeded" if succeeded else "failed")

    @property
    def waiting(self) -> bool:
        """Whether there is something to write."""
        return bool(self._scorings or self._attachments)

    def write(self, store: TraceStore) -> None:
        """Write what waits. Raises StoreError."""
        scorings, attachments = self._scorings, self._attachments
        self._scorings, self._attachments = [], []
        if scorings:
            store.add(scorings, clock.to_text(self.now()))
        if attachments:
            store.attach(attachments)

    def close(self, store: TraceStore) -> None:
        """Write what waits; what was shown and not called until now was ignored. Raises StoreError."""
        self.write(store)
        if scorings := [*self._open.end(), *self._predictions.end()]:
            store.ignore(scorings)

    def _add(self, scoring: Scoring, open_scorings: OpenScorings | None = None) -> None:
        scorings = open_scorings or self._open
        if self.enabled and scoring.candidates and len(self._scorings) < _MOST_WAITING:
            self._scorings.append(scoring)
            scorings.add(scoring.session, scoring.id, (each.name for each in scoring.candidates))

    def _choose(self, scorings: OpenScorings, session: str, candidate: str, outcome: Outcome) -> None:
        chosen = scorings.choose(session, candidate, outcome)
        if chosen is not None and len(self._attachments) < _MOST_WAITING:
            self._attachments.append(chosen)
