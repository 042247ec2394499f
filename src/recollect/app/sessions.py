"""The sessions of a project: their working memory, the injections into their prompts, and drafts."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from recollect.app.attention import AttentionBoosts, session_attention
from recollect.app.drafts import keep_draft
from recollect.app.state_source import StateSource
from recollect.errors import NotFoundError, StoreError
from recollect.graph.causal import Edges
from recollect.records.memories import Memories, Repeats, Saved
from recollect.records.redaction_port import RedactionGate
from recollect.retrieval.boosts import Attention
from recollect.retrieval.index import Index
from recollect.storage.sqlite.state import precise_now
from recollect.working.history import Action, Failure
from recollect.working.ports import DraftStore, SessionStore
from recollect.working.recorder import SessionRecorder
from recollect.working.session_state import Impact, Injection
from recollect.working.view import RuleCount, Session, View

_T = TypeVar("_T")
_LISTED = 50


@dataclass(frozen=True, slots=True)
class SessionActivity:
    """What happened in a session beside its working memory; the last injection first."""

    injections: tuple[Injection, ...] = ()
    actions: tuple[Action, ...] = ()
    failures: tuple[Failure, ...] = ()


@dataclass(frozen=True, slots=True)
class Sessions:
    """The sessions of one memory root. Reading creates no database where no session has been."""

    state: StateSource
    memories: Memories
    gate: RedactionGate

    def all(self) -> list[Session]:
        """The sessions that have been seen, the one seen last first."""
        return self._read(lambda recorder: recorder.stores.sessions.latest(_LISTED), [])

    def view(self, id: str | None = None) -> View | None:
        """A session as it is now: by the beginning of its id, else the one seen last; None without any.

        Raises NotFoundError for an id that no session has, or more than one.
        """
        return self._read(lambda recorder: _view(recorder.stores.sessions, id), None)

    def activity(self, id: str) -> SessionActivity:
        """What a session did, and what its prompts were given; nothing for an unknown one."""

        def read(recorder: SessionRecorder) -> SessionActivity:
            stores = recorder.stores
            injections = sorted(
                stores.injections.of_session(id), key=lambda each: (each.at, each.memory), reverse=True
            )
            history = stores.history
            return SessionActivity(tuple(injections), history.actions(id), history.failures(id))

        return self._read(read, SessionActivity())

    def attention(
        self,
        index: Index,
        edges: Callable[[], Edges],
        boosts: AttentionBoosts,
        session: str | None = None,
    ) -> Attention | None:
        """What a session pays attention to, by default the one seen last.

        None without a session, or where the database cannot be used: a search goes on without it.
        """

        def read(recorder: SessionRecorder) -> Attention | None:
            id = session
            if id is None:
                id = next((last.id for last in recorder.stores.sessions.latest(1)), "")
            return session_attention(id, recorder, index, edges, boosts) if id else None

        try:
            return self._read(read, None)
        except StoreError:
            return None

    def counts(self) -> list[RuleCount]:
        """How often each rule has kept something."""
        return self._read(lambda recorder: recorder.stores.sessions.rule_counts(), [])

    def injections(self, limit: int) -> list[Injection]:
        """The last injections into prompts, the newest first."""
        return self._read(lambda recorder: recorder.stores.injections.latest(limit), [])

    def impact(self) -> list[Impact]:
        """How many prompts each memory was injected into, and how many of them used it."""
        return self._read(lambda recorder: recorder.stores.injections.impact(), [])

    @property
    def drafts(self) -> DraftStore:
        """The drafts that wait."""
        return self.state.drafts(self.gate)

    def keep(self, name: str) -> Saved | Repeats:
        """Save a draft as a memory; the person who asks for it confirms it."""
        draft = self.drafts.get(name)
        return self._with(
            lambda recorder: keep_draft(draft, self.drafts, self.memories, recorder, confirmed=True)
        )

    def summary_of(self, session: str) -> str:
        """The id of the memory that is the summary of a session; empty without one."""
        return self._read(lambda recorder: recorder.history(session).summary_memory, "")

    def adopt(self) -> bool:
        """Take over the database that was moved aside because it was made elsewhere; False without one."""
        return self.state.adopt()

    def _read(self, query: Callable[[SessionRecorder], _T], default: _T) -> _T:
        return self._with(query) if self.state.exists() else default

    def _with(self, work: Callable[[SessionRecorder], _T]) -> _T:
        stores = self.state.open()
        try:
            return work(SessionRecorder(stores, precise_now))
        finally:
            stores.close()


def _view(store: SessionStore, id: str | None) -> View | None:
    sessions = store.latest(_LISTED)
    session = _by_id(sessions, id) if id is not None else next(iter(sessions), None)
    if session is None:
        return None
    return View(session, store.memory(session.id), tuple(store.left(session.id)))


def _by_id(sessions: list[Session], id: str) -> Session:
    """The session of an id, or the only one whose id begins so."""
    exact = [session for session in sessions if session.id == id]
    matches = exact or [session for session in sessions if session.id.startswith(id)]
    if len(matches) != 1:
        count = "more than one session" if matches else "no session"
        raise NotFoundError(f"{count} begins with {id!r}; `recollect session list` shows them.")
    return matches[0]
