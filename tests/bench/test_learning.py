"""The requests of `bench learning`: as many as asked for, the same every time, each in words."""

from pathlib import Path

import pytest
from tests.requirements import requirement

from recollect.bench.learning import WORDS, episodes_of


@requirement("learning:repeated-work:fewer-calls")
@pytest.mark.parametrize("requests", [10, 200])
def test_the_script_has_as_many_requests_as_asked_for_and_words_for_each(requests: int) -> None:
    episodes = episodes_of(Path("/project"), requests)

    calls = [call for episode in episodes for call in episode]
    assert len(calls) == requests
    assert {call.tool for call in calls} <= WORDS.keys()
    assert episodes == episodes_of(Path("/project"), requests)
    assert requests < 200 or len({call.tool.partition(":")[0] for call in calls}) == 6
