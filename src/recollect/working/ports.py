"""What a database must provide for sessions: one Protocol per concern, and the unit of work over them.

Adapters load and save; what follows from an event is decided in this package. A session may have any name.
Every method may raise StoreError. An unknown session is an empty value, not an error.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from recollect.ids import UnifiedId
from recollect.working.draft import StoredDraft
from recollect.working.history import Action, Failure
from recollect.working.redacted import RedactedText
from recollect.working.session import Faded, WorkingMemory
from recollect.working.session_state import GateScoring, Impact, Injection, SessionState
from recollect.working.view import Left, RuleCount, Session


class SessionStore(Protocol):
    """Sessions and their working memory. Not their history, and not the injections into their prompts."""

    def state(self, session: str) -> SessionState:
        """A session's counters and facts; a new state for an unknown session."""
        ...

    def save_state(self, state: SessionState) -> None:
        """Replace a session's counters and facts; its items stay as they are."""
        ...

    def memory(self, session: str) -> WorkingMemory:
        """A session's items and the number of its last tool call."""
        ...

    def save_memory(self, session: str, memory: WorkingMemory, left: Sequence[Faded] = ()) -> None:
        """Replace the items of a session that has a state, and add what `left`; of that the last 30 stay."""
        ...

    def left(self, session: str) -> list[Left]:
        """What left a session's working memory, the latest first."""
        ...

    def latest(self, limit: int) -> list[Session]:
        """The sessions that have been seen, the one seen last first."""
        ...

    def rule_counts(self) -> list[RuleCount]:
        """How often each rule has kept something, the most frequent first."""
        ...

    def count_rule(self, rule: str, at: str) -> None:
        """Count one match of a rule."""
        ...

    def keep_only(self, sessions: Collection[str]) -> None:
        """Delete the items, and what left, of all other sessions. Their states stay."""
        ...


class InjectionStore(Protocol):
    """Which memories were or will be injected into prompts, and whether they were used. Not the memories."""

    def of_session(self, session: str) -> list[Injection]:
        """All injections of a session, by memory and compaction."""
        ...

    def save(self, injections: Sequence[Injection]) -> None:
        """Add injections, or replace those of the same session, memory and compaction."""
        ...

    def add_scoring(self, session: str, scoring: GateScoring, at: str) -> None:
        """Add a trace of how the gate judged a prompt; the injections of the same second are its outcome."""
        ...

    def waiting(self, session: str) -> list[UnifiedId]:
        """The memories that the next prompt of a session is shown."""
        ...

    def add_waiting(self, session: str, memories: Sequence[UnifiedId]) -> None:
        """Add to the memories that the next prompt of a session is shown."""
        ...

    def clear_waiting(self, session: str) -> None:
        """A prompt was shown them."""
        ...

    def keep_only(self, sessions: Collection[str]) -> None:
        """Delete the waiting memories of other sessions. Past injections stay."""
        ...

    def latest(self, limit: int) -> list[Injection]:
        """The last injections of all sessions, the newest first."""
        ...

    def impact(self) -> list[Impact]:
        """The impact of each memory, the most injected first."""
        ...


class HistoryStore(Protocol):
    """Actions, failures, and the runbooks that fix them. Not the working memory of a session."""

    def actions(self, session: str) -> tuple[Action, ...]:
        """What was done in a session, in the order of events."""
        ...

    def save_action(self, session: str, action: Action) -> None:
        """Add an action; the same kind and text again moves it to its new event."""
        ...

    def failures(self, session: str) -> tuple[Failure, ...]:
        """What failed in a session, in the order of events."""
        ...

    def failures_of(self, fingerprint: str) -> tuple[Failure, ...]:
        """The failures of one error in all sessions."""
        ...

    def unresolved(self, command: str) -> tuple[Failure, ...]:
        """The unresolved failures of one command in all sessions."""
        ...

    def save_failure(self, failure: Failure) -> None:
        """Add a failure, or replace the one of the same session and fingerprint."""
        ...

    def fixes(self, fingerprint: str) -> list[UnifiedId]:
        """The memories that were saved as the fix of an error."""
        ...

    def add_fix(self, fingerprint: str, memory: UnifiedId) -> None:
        """A memory was saved as the fix of an error."""
        ...

    def keep_only(self, sessions: Collection[str], failures: int) -> None:
        """Delete the actions of other sessions, and all but the last failures."""
        ...


class TurnStore(Protocol):
    """The last prompts of sessions whose harness keeps no transcript. Not a transcript."""

    def turns(self, session: str) -> list[str]:
        """The last prompts of a session, oldest first."""
        ...

    def add(self, session: str, text: RedactedText, most: int) -> None:
        """Add a prompt and delete all but the last `most` of its session."""
        ...

    def keep_only(self, sessions: Collection[str]) -> None:
        """Delete the prompts of all other sessions."""
        ...


class SessionDatabase(Protocol):
    """The stores of one project's sessions, and transactions over all of them. Not thread-safe."""

    @property
    def sessions(self) -> SessionStore: ...
    @property
    def injections(self) -> InjectionStore: ...
    @property
    def history(self) -> HistoryStore: ...
    @property
    def turns(self) -> TurnStore: ...

    def transaction(self) -> AbstractContextManager[object]:
        """Load, compute and save without another writer in between; all is saved, or nothing after an error.

        Transactions do not nest.
        """
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


class RunbookIndex(Protocol):
    """The runbooks that name an error, as an index knows them. Not a search: it does not rank."""

    def naming(self, fingerprint: str, now: str) -> list[UnifiedId]:
        """The active runbooks valid at `now` that name an error; none when the index cannot be used."""
        ...


class DraftStore(Protocol):
    """Drafts that wait for a person. Not memories: no search and no prompt sees them."""

    def put(self, name: str, document: dict[str, Any]) -> str:
        """Redact and store a draft in place of the one of that name. The name it is stored under."""
        ...

    def all(self) -> list[StoredDraft]:
        """Every draft that can be read, by name."""
        ...

    def get(self, name: str) -> StoredDraft:
        """A draft by its name. Raises NotFoundError that lists some names there are."""
        ...

    def drop(self, name: str) -> None:
        """Delete a draft. Raises NotFoundError for an unknown name."""
        ...
