"""Traces of discovery, plans, capabilities and predictions, with what calls and runs made of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeAlias

from recollect import clock
from recollect.app.traces import new_id
from recollect.gateway import weights
from recollect.gateway.discovery import Discovery
from recollect.gateway.receipts import Outcome as CallOutcome
from recollect.learning.capability_scorings import capability_params
from recollect.learning.open_scorings import Attachment, OpenScorings
from recollect.learning.ports import TraceStore
from recollect.learning.tool_scorings import discovery_candidates, plan_candidate
from recollect.learning.trace import (
    Decision,
    Outcome,
    Params,
    ScoredCandidate,
    Scoring,
    Signals,
    context_digest,
)
from recollect.workflow.plan import Plan
from recollect.workflow.prediction import NextTool
from recollect.workflow.speculation import PredictedCall, Verdict

Decided: TypeAlias = tuple[Verdict, float]

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
    _speculations: OpenScorings = field(default_factory=OpenScorings)
    _capabilities: OpenScorings = field(default_factory=OpenScorings)
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

    def speculated(
        self, session: str, call: PredictedCall, signals: Signals, params: Params, decided: Decided
    ) -> None:
        """A call was judged whether it may run ahead: `decided` has the verdict and the threshold."""
        verdict, threshold = decided
        decision: Decision = "policy"
        if verdict in ("accepted", "below_threshold"):
            decision = verdict
        candidate = ScoredCandidate(call.tool.id, signals, call.probability, decision)
        at, digest = clock.to_text(self.now()), context_digest(call.tool.id)
        scoring = Scoring(new_id(), at, "speculation", digest, params, [candidate], threshold)
        self._add(replace(scoring, session=session), self._speculations)

    def suggested(
        self, session: str, text: str, candidates: Sequence[ScoredCandidate], threshold: float
    ) -> None:
        """Capabilities were scored, for a request or by the tools that a session called."""
        at, digest = clock.to_text(self.now()), context_digest(text)
        params = capability_params()
        scoring = Scoring(new_id(), at, "capability", digest, params, candidates, threshold)
        self._add(replace(scoring, session=session), self._capabilities)

    def ran_capability(self, session: str, name: str, *, succeeded: bool) -> None:
        """A client ran a capability."""
        self._choose(self._capabilities, session, name, "succeeded" if succeeded else "failed")

    def called(self, session: str, tool: str, outcome: CallOutcome) -> None:
        """A tool was called. Wrong arguments are not the tool's failure."""
        results: dict[CallOutcome, Outcome] = {"ok": "succeeded", "bad_arguments": "selected"}
        self._choose(self._predictions, session, tool, "selected")
        self._choose(self._speculations, session, tool, "selected")
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
        if dropped := [id for each in self._decisions for id in each.dropped()]:
            store.ignore(dropped)

    def close(self, store: TraceStore) -> None:
        """Write what waits; what was shown and not called until now was ignored. Raises StoreError."""
        self.write(store)
        if scorings := [id for each in (self._open, *self._decisions) for id in each.end()]:
            store.ignore(scorings)

    @property
    def _decisions(self) -> tuple[OpenScorings, ...]:
        """Scorings of which one that nobody chose in time was ignored."""
        return self._predictions, self._speculations, self._capabilities

    def _add(self, scoring: Scoring, open_scorings: OpenScorings | None = None) -> None:
        scorings = open_scorings or self._open
        if self.enabled and scoring.candidates and len(self._scorings) < _MOST_WAITING:
            self._scorings.append(scoring)
            scorings.add(scoring.session, scoring.id, (each.name for each in scoring.candidates))

    def _choose(self, scorings: OpenScorings, session: str, candidate: str, outcome: Outcome) -> None:
        chosen = scorings.choose(session, candidate, outcome)
        if chosen is not None and len(self._attachments) < _MOST_WAITING:
            self._attachments.append(chosen)
