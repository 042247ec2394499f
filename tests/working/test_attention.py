"""The formulas of attention, to the last digit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement

from recollect.working.session import EVENTS, attention, elapsed, next_event, raw

bases = st.floats(0.0, 1.0)
events = st.integers(0, EVENTS - 1)


@pytest.mark.parametrize(
    ("base", "ago", "expected"),
    [
        (0.9, 0, 0.9),
        (0.9, 1, 0.765),
        (0.9, 2, 0.65025),
        (0.9, 5, 0.39933478125),
        (0.9, 10, 0.1771869639),
        (0.8, 3, 0.4913),
        (0.9, 27, 0.05),  # 0.0112 by itself: alive, and lifted to the floor
        (1.0, 28, 0.05),
        (1.085, 0, 1.0),
    ],
)
@requirement("working:attention:formulas")
def test_attention_decays_by_events(base: float, ago: int, expected: float) -> None:
    assert attention(base, ago) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(
    ("base", "ago"),
    [(0.9, 28), (0.7, 27), (1.0, 29), (0.0099, 0), (0.0, 0), (1.0, EVENTS - 1)],
)
@requirement("working:attention:eviction-before-floor")
def test_what_falls_below_a_hundredth_is_gone_and_not_lifted_to_the_floor(
    base: float, ago: int
) -> None:
    assert raw(base, ago) < 0.01
    assert attention(base, ago) is None


@requirement("working:attention:eviction-before-floor")
def test_exactly_a_hundredth_stays() -> None:
    assert attention(0.01, 0) == 0.05


@pytest.mark.parametrize(
    ("now", "last", "expected"),
    [
        (0, 0, 0),
        (7, 7, 0),
        (10, 7, 3),
        (0, EVENTS - 1, 1),
        (2, EVENTS - 3, 5),
        (EVENTS - 1, 0, EVENTS - 1),
        (6, 7, EVENTS - 1),
    ],
)
@requirement("working:attention:wrap-around")
def test_elapsed_events_are_counted_across_the_end_of_the_counter(
    now: int, last: int, expected: int
) -> None:
    assert elapsed(now, last) == expected


@requirement("working:attention:wrap-around")
def test_the_counter_begins_anew_at_two_to_the_31() -> None:
    assert next_event(EVENTS - 1) == 0
    assert next_event(41) == 42


@given(bases, events)
@requirement("working:attention:bounded")
def test_attention_is_always_between_the_floor_and_one(base: float, ago: int) -> None:
    found = attention(base, ago)

    assert found is None or 0.05 <= found <= 1.0


@given(bases, st.integers(0, EVENTS - 2), st.integers(1, 1000))
def test_more_events_never_raise_attention(base: float, ago: int, more: int) -> None:
    later = min(ago + more, EVENTS - 1)

    assert (attention(base, later) or 0.0) <= (attention(base, ago) or 0.0)


@given(events, st.integers(0, EVENTS - 1))
@requirement("working:attention:wrap-around")
def test_elapsed_is_the_same_wherever_on_the_counter_it_is_measured(last: int, by: int) -> None:
    assert elapsed((last + by) % EVENTS, last) == by
