"""Injections: which memories prompts got, and whether they were used. Values, and the rules for both.

A memory is injected once between two compactions of a session's context. Its first use counts.
"""

from __future__ import annotations

from recollect.values import Frozen, replaced
from recollect.working.session import attention

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from recollect.ids import UnifiedId
    from recollect.working.session_state import SessionState

USED = 0.7  # attention of a memory when a session reads it, touches its files or cites it


class Injection(Frozen):
    """A memory that was injected into a prompt. `used` is read, touched or cited, or None."""

    session: str
    memory: UnifiedId
    at: str
    probability: float
    used: str | None = None
    compaction: int = 0
    event: int = 0


class Impact(Frozen):
    """How many prompts a memory was injected into, and how many of them used it."""

    memory: UnifiedId
    injected: int
    used: int


def new_injections(
    state: SessionState,
    memories: Sequence[UnifiedId],
    in_context: Collection[str],
    probability: float,
    now: str,
) -> list[Injection]:
    """The injections of a prompt: those of `memories` that the session's context does not contain yet."""
    at = f"{now[:19]}Z"  # whole seconds, as this column always had them
    return [
        Injection(state.id, memory, at, probability, None, state.compactions, state.events)
        for memory in dict.fromkeys(memories)
        if memory not in in_context
    ]


def mark_used(unused: Iterable[Injection], memories: Collection[str], how: str) -> list[Injection]:
    """The injections of `memories` as used; those that were used before stay as they are."""
    return [
        replaced(injection, used=how)
        for injection in unused
        if injection.memory in memories and injection.used is None
    ]


def used_attention(state: SessionState, used: Iterable[Injection]) -> dict[UnifiedId, float]:
    """How much the memories that a session used matter now.

    Injection alone is not use: otherwise a memory that was injected once would keep promoting itself.
    """
    last: dict[UnifiedId, int] = {}
    for injection in used:
        last[injection.memory] = max(injection.event, last.get(injection.memory, 0))
    levels = {id: attention(USED, max(state.events - event, 0), 0) for id, event in last.items()}
    return {id: level for id, level in levels.items() if level is not None}
