"""How a session moves on: the counters and facts of one session, and each step as a pure function.

A session is one conversation with an agent. Its working memory is in `working.session`, not here.
"""

from __future__ import annotations

from recollect.values import Frozen, replaced


class SessionState(Frozen):
    """What is stored of a session apart from its items.

    `events` counts prompts, tool calls and starts; `pointed` is true once a prompt was pointed to search;
    `summary_memory` is the memory that holds its summary. A session that was never seen has no `seen_at`.
    """

    id: str
    started_at: str = ""
    seen_at: str = ""
    harness: str = ""
    goal: str = ""
    events: int = 0
    compactions: int = 0
    pointed: bool = False
    summary_memory: str = ""


def count_event(state: SessionState, now: str) -> SessionState:
    """One event later."""
    return replaced(state, events=state.events + 1, started_at=state.started_at or now)


def see(state: SessionState, harness: str, now: str, goal: str = "") -> SessionState:
    """The session is active now. Its first goal stays; an unknown harness does not replace a known one."""
    return replaced(
        state,
        started_at=state.started_at or now,
        seen_at=now,
        harness=harness or state.harness,
        goal=state.goal or goal,
    )


def compact(state: SessionState, now: str) -> SessionState:
    """The agent's context was compacted: it no longer contains the injected memories."""
    return replaced(count_event(state, now), compactions=state.compactions + 1)


def point_to_search(
    state: SessionState, now: str, *, is_follow_up: bool, has_memories: bool
) -> tuple[SessionState, bool]:
    """The session one event later, and whether this prompt is pointed to search. That happens once.

    A follow-up in a session that `has_memories` in its context is about those: it is not pointed anywhere.
    """
    later = count_event(state, now)
    if state.pointed or (is_follow_up and has_memories):
        return later, False
    return replaced(later, pointed=True), True
