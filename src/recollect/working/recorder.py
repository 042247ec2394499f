"""Record the events of sessions: load, compute with a pure function, save, in one transaction."""

from __future__ import annotations

from recollect.values import replaced
from recollect.working import session_state
from recollect.working.session_state import mark_used, new_injections, used_attention

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from recollect.ids import UnifiedId
    from recollect.working.history import SessionHistory
    from recollect.working.ports import SessionDatabase
    from recollect.working.redacted import RedactedText
    from recollect.working.session_state import GateScoring
    from recollect.working.tool_call import CallOutcome, ToolCall

SESSIONS_KEPT = 50  # sessions whose items, actions and prompts are stored
FAILURES_KEPT = 500


class SessionRecorder:
    """Records the events of one project's sessions. Safe for many processes at once."""

    def __init__(self, stores: SessionDatabase, now: Callable[[], str]) -> None:
        self.stores = stores
        self._now = now

    def count_event(self, session: str) -> int:
        """Count an event of a session; returns the number of its events."""
        with self.stores.transaction():
            state = session_state.count_event(self.stores.sessions.state(session), self._now())
            self.stores.sessions.save_state(state)
        return state.events

    def compact(self, session: str) -> None:
        """Record that a session's context was compacted: every memory may be injected again."""
        with self.stores.transaction():
            state = session_state.compact(self.stores.sessions.state(session), self._now())
            self.stores.sessions.save_state(state)

    def begin(self, session: str, harness: str, goal: RedactedText | None = None) -> None:
        """Record that a session is active in a harness. Its first goal stays."""
        with self.stores.transaction():
            state = self.stores.sessions.state(session)
            text = goal.text if goal else ""
            self.stores.sessions.save_state(session_state.see(state, harness, self._now(), text))

    def call(self, session: str, harness: str, call: ToolCall) -> CallOutcome:
        """Record a finished tool call: one event, and the item that a rule extracted from it."""
        from recollect.working.tool_call import CallContext, apply_call

        sessions, history = self.stores.sessions, self.stores.history
        fingerprint = call.item.fingerprint if call.item else ""
        command = call.command.text
        with self.stores.transaction():
            now = self._now()
            before = CallContext(
                sessions.memory(session),
                history.failures_of(fingerprint) if fingerprint else (),
                history.unresolved(command) if command else (),
                any(not failure.resolved for failure in history.failures(session)),
            )
            outcome = apply_call(session, call, before, now)
            state = session_state.see(sessions.state(session), harness, now)
            if call.item is not None:
                provenance = call.item.provenance
                state = session_state.count_item(state, redacted=provenance.redaction_applied)
                sessions.count_rule(provenance.rule, now)
            sessions.save_state(state)
            sessions.save_memory(session, outcome.memory, outcome.left)
            for action in outcome.actions:
                history.save_action(session, action)
            for failure in outcome.failures:
                history.save_failure(failure)
        return outcome

    def mention(self, session: str, prompt: str) -> int:
        """Raise the attention of the items that a prompt names; returns how many it names."""
        if not self.stores.sessions.memory(session).items:
            return 0
        from recollect.working.mentions import mentioned
        from recollect.working.session import mention

        with self.stores.transaction():
            memory = self.stores.sessions.memory(session)
            named = mentioned(memory.items, prompt)
            if named:
                self.stores.sessions.save_memory(session, mention(memory, named))
        return len(named)

    def in_context(self, session: str) -> set[UnifiedId]:
        """The memories that were injected into a session since its context was last compacted."""
        compactions = self.stores.sessions.state(session).compactions
        injections = self.stores.injections.of_session(session)
        return {injection.memory for injection in injections if injection.compaction == compactions}

    def give(
        self,
        session: str,
        memories: Sequence[UnifiedId],
        probability: float,
        scoring: GateScoring | None = None,
    ) -> list[UnifiedId]:
        """Record an injection; returns those of `memories` that the session's context lacked."""
        with self.stores.transaction():
            now = self._now()
            state = session_state.count_event(self.stores.sessions.state(session), now)
            new = new_injections(state, memories, self.in_context(session), probability, now)
            self.stores.sessions.save_state(state)
            self.stores.injections.save(new)
            if scoring is not None:
                self.stores.injections.add_scoring(session, scoring, now)
        return [injection.memory for injection in new]

    def point_to_search(
        self, session: str, *, is_follow_up: bool = False, scoring: GateScoring | None = None
    ) -> bool:
        """Record a prompt that no memory answers; whether to point it to search. That happens once."""
        with self.stores.transaction():
            state, points = session_state.point_to_search(
                self.stores.sessions.state(session),
                self._now(),
                is_follow_up=is_follow_up,
                has_memories=bool(self.in_context(session)),
            )
            self.stores.sessions.save_state(state)
            if scoring is not None:
                self.stores.injections.add_scoring(session, scoring, self._now())
        return points

    def use(self, session: str, memories: Collection[str], how: str) -> None:
        """Record that a session used injected memories. The first use counts."""
        with self.stores.transaction():
            injections = self.stores.injections.of_session(session)
            self.stores.injections.save(mark_used(injections, memories, how))

    def unused(self, session: str) -> list[UnifiedId]:
        """The memories that were injected into a session and not used so far."""
        injections = self.stores.injections.of_session(session)
        return sorted({injection.memory for injection in injections if injection.used is None})

    def used(self, session: str) -> dict[UnifiedId, float]:
        """The attention of the memories that a session used, from 0 to 1."""
        injections = self.stores.injections.of_session(session)
        used = [injection for injection in injections if injection.used is not None]
        return used_attention(self.stores.sessions.state(session), used)

    def is_busy(self, session: str) -> bool:
        """Whether a session has items, waiting runbooks or memories that it used."""
        return (
            bool(self.stores.sessions.memory(session).items)
            or bool(self.stores.injections.waiting(session))
            or any(injection.used for injection in self.stores.injections.of_session(session))
        )

    def show_next(self, session: str, memories: Sequence[UnifiedId]) -> None:
        """Show these memories with the next prompt of a session."""
        with self.stores.transaction():
            self.stores.injections.add_waiting(session, memories)

    def fixed_by(self, fingerprint: str, memory: UnifiedId) -> None:
        """Record that a memory was saved as the fix of an error."""
        with self.stores.transaction():
            self.stores.history.add_fix(fingerprint, memory)

    def take_waiting(self, session: str) -> list[UnifiedId]:
        """The memories to show with this prompt. They are shown once."""
        if not self.stores.injections.waiting(session):
            return []
        with self.stores.transaction():
            waiting = self.stores.injections.waiting(session)
            self.stores.injections.clear_waiting(session)
        return waiting

    def history(self, session: str) -> SessionHistory:
        """The history of a session; empty for an unknown one."""
        from recollect.working.history import SessionHistory  # prompts need none

        state, history = self.stores.sessions.state(session), self.stores.history
        return SessionHistory(
            session,
            state.harness,
            state.goal,
            state.summary_memory,
            history.actions(session),
            history.failures(session),
        )

    def summarised(self, session: str, memory: str) -> None:
        """Record that a session's summary was saved as this memory. Does nothing for an unknown session."""
        with self.stores.transaction():
            state = self.stores.sessions.state(session)
            if state.started_at:
                self.stores.sessions.save_state(replaced(state, summary_memory=memory))

    def keep_turn(self, session: str, text: RedactedText) -> None:
        """Add a prompt to the last few of its session; one without words is left out."""
        from recollect.working.turns import TURNS_KEPT

        if text.text:
            with self.stores.transaction():
                self.stores.turns.add(session, text, TURNS_KEPT)

    def tidy(self) -> None:
        """Delete the working memory of the oldest sessions, and the oldest failures."""
        with self.stores.transaction():
            recent = [session.id for session in self.stores.sessions.latest(SESSIONS_KEPT)]
            self.stores.sessions.keep_only(recent)
            self.stores.injections.keep_only(recent)
            self.stores.history.keep_only(recent, FAILURES_KEPT)
            self.stores.turns.keep_only(recent)
