"""How a session moves on: the counters and facts of one session, and each step as a pure function.

A session is one conversation with an agent. Its working memory is in `working.session`, not here.
"""

from __future__ import annotations

from recollect.values import Frozen, replaced
from recollect.working.session import attention

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from recollect.ids import UnifiedId

USED = 0.7  # attention of a memory when a session reads it, touches its files or cites it
_DIGEST_PRIME = 2**61 - 1  # the remainder is the digest: `zlib` and `hashlib` take long to load


class SessionState(Frozen):
    """What is stored of a session apart from its items.

    `events` counts prompts, tool calls and starts; `pointed` is true once a prompt was pointed to search;
    `summary_memory` is the memory that holds its summary; `extracted` counts the items that rules made, and
    `redacted` those of them from which a secret was removed. A session that was never seen has no `seen_at`.
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
    extracted: int = 0
    redacted: int = 0


def count_event(state: SessionState, now: str) -> SessionState:
    """One event later."""
    return replaced(state, events=state.events + 1, started_at=state.started_at or now)


def count_item(state: SessionState, *, redacted: bool) -> SessionState:
    """A rule made an item, with or without a secret to remove."""
    return replaced(state, extracted=state.extracted + 1, redacted=state.redacted + int(redacted))


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


class Injection(Frozen):
    """A memory that was injected into a prompt. `used` is read, touched or cited, or None."""

    session: str
    memory: UnifiedId
    at: str
    probability: float
    used: str | None = None
    compaction: int = 0
    event: int = 0


class GateScoring(Frozen):
    """How the gate judged a prompt, as a trace stores it: a digest of the prompt, and the best memory.

    `signals` and `params` are numbers by name; `decision` is accepted, below_threshold or policy.
    """

    context: str
    candidate: str
    signals: Mapping[str, float | None]
    params: Mapping[str, float]
    score: float
    threshold: float
    decision: str
    milliseconds: float


def prompt_digest(text: str) -> str:
    """A number that tells a prompt from others without holding any of its words. Not for adversaries."""
    data = text.encode("utf-8", "replace")
    return f"{int.from_bytes(data, 'big') % _DIGEST_PRIME:016x}{len(data):x}"


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
    levels = {id: attention(USED, max(state.events - event, 0)) for id, event in last.items()}
    return {id: level for id, level in levels.items() if level is not None}
