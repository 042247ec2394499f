"""The sessions of a project as its doors see them: what is in mind, what left, and the drafts that wait."""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from recollect.app.attention import SessionAttention, attention_of
from recollect.app.drafts import Drafts, StoredDraft, keep
from recollect.errors import NotFoundError, StoreError
from recollect.records.memories import Memories, Repeats, Saved
from recollect.records.redaction_port import RedactionGate, SecretFinding
from recollect.storage.sqlite.edges import SqliteEdges
from recollect.storage.sqlite.index import SqliteIndex
from recollect.storage.sqlite.state import NAME, Impact, Injection, StateDatabase
from recollect.storage.sqlite.working import WorkingStore
from recollect.working.view import RuleCount, Session, View

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Sessions:
    """The sessions of one root. Nothing is made where no session has been yet."""

    state: Path
    memories: Memories
    gate: RedactionGate

    def all(self) -> list[Session]:
        """The sessions that are remembered, the one seen last first."""
        return self._asked(lambda _, store: store.sessions(), [])

    def view(self, id: str | None = None) -> View | None:
        """A session as it is now: the one whose id begins so, or the one seen last; None when none is.

        Raises NotFoundError for an id that no session has, or more than one.
        """
        return self._asked(lambda _, store: _view(store, id), None)

    def attention(self, index: SqliteIndex, *, session: bool, causal: bool) -> SessionAttention | None:
        """What the session seen last pays attention to, for the boosts that are switched on.

        None where the state cannot be used: a search goes without it.
        """

        def found(store: WorkingStore) -> SessionAttention | None:
            last = next(iter(store.sessions(1)), None)
            if last is None:
                return None
            edges = SqliteEdges(index.connection) if causal else None
            told = attention_of(store.memory(last.id), store.used(last.id), index, edges)
            return told if session else told.only_linked

        try:
            return self._asked(lambda _, store: found(store), None)
        except StoreError:
            return None

    def counts(self) -> list[RuleCount]:
        """How often each rule has kept something."""
        return self._asked(lambda _, store: store.counts(), [])

    def injections(self, limit: int) -> list[Injection]:
        """What prompts were given last, the newest first."""
        return self._asked(lambda state, _: state.latest(limit), [])

    def impact(self) -> list[Impact]:
        """How often each memory was given to a prompt, and how often that was of use."""
        return self._asked(lambda state, _: state.impact(), [])

    @property
    def drafts(self) -> Drafts:
        """The drafts that wait."""
        return Drafts(self.state, self.gate)

    def keep(self, name: str) -> Saved | Repeats:
        """Make a memory of a draft; the person who asks for it confirms it."""
        draft = self.drafts.get(name)
        return self._with(lambda _, store: self._kept(draft, store))

    def _kept(self, draft: StoredDraft, store: WorkingStore) -> Saved | Repeats:
        return keep(draft, self.drafts, self.memories, store, confirmed=True)

    def _redact(self, text: str) -> tuple[str, list[SecretFinding]]:
        clean, found = self.gate(text)
        return str(clean), found

    def _asked(self, question: Callable[[StateDatabase, WorkingStore], _T], nothing: _T) -> _T:
        return self._with(question) if (self.state / NAME).exists() else nothing

    def _with(self, work: Callable[[StateDatabase, WorkingStore], _T]) -> _T:
        path = self.state / NAME
        try:
            state = StateDatabase(str(path))
            try:
                return work(state, WorkingStore(state, self._redact))
            finally:
                state.close()
        except sqlite3.DatabaseError as error:
            raise StoreError(
                f"cannot use {str(path)!r} ({error}). If it is corrupt, move it away: sessions begin anew, "
                "and no memory is in it."
            ) from None


def _view(store: WorkingStore, id: str | None) -> View | None:
    sessions = store.sessions()
    if id is None:
        wanted = sessions[:1]
    else:
        wanted = [one for one in sessions if one.id == id] or [
            one for one in sessions if one.id.startswith(id)
        ]
        if len(wanted) != 1:
            many = "more than one session" if wanted else "no session"
            raise NotFoundError(f"{many} begins with {id!r}; `recollect session list` shows them.")
    if not wanted:
        return None
    [session] = wanted
    return View(session, store.memory(session.id), tuple(store.faded(session.id)))
