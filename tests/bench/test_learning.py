"""The requests of `bench learning`: as many as asked for, the same every time, each in words."""

from pathlib import Path

import pytest
from tests.requirements import requirement

from recollect.bench.learning import WORDS, episodes_of, paired_totals


@requirement("learning:repeated-work:fewer-calls")
@pytest.mark.parametrize("requests", [10, 200])
def test_the_script_has_as_many_requests_as_asked_for_and_words_for_each(requests: int) -> None:
    episodes = episodes_of(Path("/project"), requests)

    calls = [call for episode in episodes for call in episode]
    assert len(calls) == requests
    assert {call.tool for call in calls} <= WORDS.keys()
    assert episodes == episodes_of(Path("/project"), requests)
    assert requests < 200 or len({call.tool.partition(":")[0] for call in calls}) == 6


@requirement("learning:repeated-work:fewer-calls")
def test_a_request_that_the_machine_interrupted_counts_in_neither_round() -> None:
    first, second = [1.0] * 9 + [50.0], [0.5] * 9 + [0.5]

    assert paired_totals(first, second) == (9.0, 4.5)
    assert paired_totals(second, first) == (4.5, 9.0)
