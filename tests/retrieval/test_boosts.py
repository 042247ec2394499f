"""What a session pays attention to may move a hit, and only so far."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement

from recollect.ids import UnifiedId
from recollect.retrieval.boosts import CAP, NONE, Attention, Boost, boost

ID = UnifiedId("mem:a")


@requirement("retrieval:boosts:formula")
@pytest.mark.parametrize(
    ("attention", "hops", "expected"),
    [
        (0.0, 0, Boost((("session", 0.0), ("causal", 0.0)))),
        (0.4, 0, Boost((("session", 0.15 * 0.4), ("causal", 0.0)))),
        (1.0, 1, Boost((("session", 0.15), ("causal", 0.05)))),
        (0.0, 2, Boost((("session", 0.0), ("causal", 0.05 / 2)))),
        (0.0, 3, Boost((("session", 0.0), ("causal", 0.0)))),
        (7.0, 0, Boost((("session", 0.15), ("causal", 0.0)))),
        (-1.0, -1, Boost((("session", 0.0), ("causal", 0.0)))),
    ],
)
def test_a_boost_is_attention_and_nearness(attention: float, hops: int, expected: Boost) -> None:
    assert boost(ID, Attention({ID: attention}, {ID: hops})) == expected


def test_what_is_not_in_attention_gets_none() -> None:
    assert boost(ID, Attention({UnifiedId("mem:b"): 1.0}, {UnifiedId("mem:b"): 1})) == NONE


@requirement("retrieval:boosts:cap")
@given(st.floats(0, 10), st.floats(0, 10))
def test_a_boost_is_capped_whatever_its_parts(session: float, causal: float) -> None:
    assert Boost((("session", session), ("causal", causal))).total == min(session + causal, 0.20) <= CAP
