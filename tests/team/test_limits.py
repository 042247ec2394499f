"""Requests per minute and numbers of memories."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import RefusedError
from recollect.team.limits import (
    ProjectLimits,
    RateLimitedError,
    full_bucket,
)


def test_a_burst_is_accepted_and_then_one_request_at_a_time() -> None:
    limits = ProjectLimits(requests_per_minute=60, burst=3)
    bucket, waits = full_bucket(limits, 0.0), []
    for _ in range(4):
        bucket, wait = bucket.taken(limits, 0.0)
        waits.append(wait)

    assert waits == [0, 0, 0, 1]
    assert bucket.taken(limits, 1.0)[1] == 0


@given(st.integers(1, 600), st.integers(0, 50), st.lists(st.floats(0, 5), max_size=80))
def test_no_more_than_the_burst_and_the_rate_are_ever_accepted(
    per_minute: int, burst: int, pauses: list[float]
) -> None:
    limits = ProjectLimits(per_minute, burst)
    now, accepted, bucket = 0.0, 0, full_bucket(limits, 0.0)
    for pause in pauses:
        now += pause
        bucket, wait = bucket.taken(limits, now)
        accepted += wait == 0

    assert accepted <= limits.capacity + now * per_minute / 60 + 1e-6


def test_a_clock_that_goes_backwards_fills_nothing() -> None:
    limits = ProjectLimits(requests_per_minute=60, burst=1)
    empty, _ = full_bucket(limits, 100.0).taken(limits, 100.0)

    still_empty, wait = empty.taken(limits, 0.0)

    assert wait == 1
    assert still_empty.at == 100.0


def test_whoever_waits_as_long_as_said_is_accepted() -> None:
    limits = ProjectLimits(requests_per_minute=7, burst=1)
    bucket, _ = full_bucket(limits, 0.0).taken(limits, 0.0)
    _, wait = bucket.taken(limits, 0.0)

    assert bucket.taken(limits, float(RateLimitedError("shop", 7, wait).seconds))[1] == 0


def test_a_limit_below_nothing_is_refused() -> None:
    with pytest.raises(RefusedError, match="0 means no limit"):
        ProjectLimits(burst=-1)
