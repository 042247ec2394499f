"""What learning stores, as ports: adapters keep it, and one conformance suite tests them all."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from recollect.learning.capabilities import Capability
from recollect.learning.episodes import Episode
from recollect.learning.open_scorings import Attachment
from recollect.learning.thresholds import AdaptiveThreshold, DecisionKind
from recollect.learning.trace import CandidateTrace, Kind, Scoring


class SequenceStore(Protocol):
    """The tools that sessions called with success, in their order; bounded: the oldest calls make room.

    Every method may raise StoreError.
    """

    def add(self, calls: Sequence[tuple[str, str]]) -> None:
        """Add calls, each with its session and tool."""
        ...

    def latest(self, sessions: int, calls: int) -> Sequence[Sequence[str]]:
        """The newest calls by session, each session in order, the oldest session first.

        At most so many calls, of the sessions that called last.
        """
        ...


class ThresholdStore(Protocol):
    """Adaptive thresholds of one project, by kind. Every method may raise StoreError."""

    def get(self, kind: DecisionKind) -> AdaptiveThreshold | None:
        """A threshold; None if nothing was learned for it."""
        ...

    def put(self, threshold: AdaptiveThreshold) -> None:
        """Add a threshold, or replace that of its kind."""
        ...

    def all(self) -> Sequence[AdaptiveThreshold]:
        """Every threshold that something was learned for, by kind."""
        ...

    def transaction(self) -> AbstractContextManager[object]:
        """Load, compute and save without another writer in between."""
        ...


class CapabilityStore(Protocol):
    """The capabilities of a project, by name. Every method may raise StoreError."""

    def put(self, capability: Capability) -> None:
        """Add a capability, in place of the one of this name."""
        ...

    def all(self) -> Sequence[Capability]:
        """Every capability, by name."""
        ...

    def count(self, digest: str, *, succeeded: bool) -> bool:
        """Count a run of the capability with this digest; false when there is none."""
        ...

    def pin(self, digest: str, schemas: Mapping[str, str]) -> None:
        """Set the schemas with which the capability with this digest worked."""
        ...

    def rename(self, name: str, new: str) -> bool:
        """Give a capability a name that a person chose; false when there is none, or the name is taken."""
        ...

    def remove(self, name: str) -> bool:
        """Forget a capability; false when there is none."""
        ...


class EpisodeStore(Protocol):
    """The episodes of a project, bounded: the oldest make room. Every method may raise StoreError."""

    def add(self, episode: Episode) -> None:
        """Add an episode."""
        ...

    def of_context(self, context: str) -> Episode | None:
        """The newest episode of a context; None if there is none."""
        ...

    def latest(self, limit: int) -> Sequence[Episode]:
        """The newest episodes, the last first."""
        ...

    def prune(self, before: str) -> int:
        """Delete the episodes before a moment; says how many."""
        ...


class TraceStore(Protocol):
    """Traces of scorings, bounded by age and number: the oldest make room.

    Every method may raise StoreError.
    """

    def add(self, scorings: Sequence[Scoring], now: str) -> None:
        """Add the candidates of scorings, and delete what is too old by `now` or too many."""
        ...

    def attach(self, attachments: Iterable[Attachment]) -> None:
        """Set outcomes. A choice replaces `ignored`; no other outcome changes. Unknown scorings stay so."""
        ...

    def ignore(self, scorings: Iterable[str]) -> None:
        """Nothing more will be chosen: candidates of these scorings without an outcome were ignored."""
        ...

    def settle(self, now: str) -> None:
        """Set the outcomes of injections into prompts, as far as the session shows whether they were used."""
        ...

    def latest(
        self, limit: int, kind: Kind | None = None, *, with_outcome: bool = False
    ) -> Sequence[CandidateTrace]:
        """The newest traces, the last scoring first and its candidates in their order."""
        ...

    def of_scoring(self, start: str) -> Sequence[CandidateTrace]:
        """The candidates of the scoring whose id begins so, in their order; none unless there is just one."""
        ...

    def counts(self) -> Mapping[Kind, int]:
        """How many traces there are of each kind."""
        ...
