"""Which memories a prompt is given, and which of them count as used."""

import pytest

from recollect.ids import UnifiedId
from recollect.values import replaced
from recollect.working.session_state import (
    USED,
    Injection,
    SessionState,
    mark_used,
    new_injections,
    used_attention,
)

A, B = UnifiedId("mem:a"), UnifiedId("mem:b")
STATE = SessionState("s1", events=4, compactions=2)
GIVEN = Injection("s1", A, "2026-11-15T10:00:00Z", 0.5, None, 2, 4)


def test_only_memories_that_the_context_lacks_are_injected_each_once() -> None:
    injections = new_injections(STATE, [A, B, B], {A}, 0.5, "2026-11-15T10:00:00.123456Z")

    assert injections == [replaced(GIVEN, memory=B)]


def test_the_first_use_counts() -> None:
    used = replaced(GIVEN, memory=B, used="read")

    assert mark_used([GIVEN, used], {A, B, "mem:unknown"}, "cited") == [replaced(GIVEN, used="cited")]


def test_the_attention_of_a_used_memory_fades_with_events_since_its_last_injection() -> None:
    old = replaced(GIVEN, used="read", event=1, compaction=1)
    new = replaced(GIVEN, used="read", event=3)

    levels = used_attention(STATE, [new, old, replaced(old, memory=B)])

    assert levels == {A: pytest.approx(USED * 0.85), B: pytest.approx(USED * 0.85**3)}


def test_a_memory_that_was_used_long_ago_has_no_attention() -> None:
    assert used_attention(replaced(STATE, events=100), [replaced(GIVEN, used="read")]) == {}
