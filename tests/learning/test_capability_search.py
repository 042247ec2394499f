"""Which capabilities fit a request."""

from dataclasses import replace

import pytest
from tests.requirements import requirement

from recollect.gateway.relevance import tool_index
from recollect.gateway.tool import UpstreamTool
from recollect.learning.capabilities import Capability
from recollect.learning.capability_search import MOST_SUGGESTED, fitting, scored_capabilities

RARITY = tool_index([UpstreamTool("git", "log", "Show commits."), UpstreamTool("fs", "read")]).words
ONCE = Capability("count_commits_week", "d1", "count the commits of a week", "1", {"since": 1})
OTHER = Capability("resize_images", "d2", "resize all images of a folder", "1")


def names(text: str, *capabilities: Capability, **cosines: float) -> list[str]:
    hits = fitting(scored_capabilities(text, capabilities, RARITY, cosines))
    return [hit.capability.name for hit in hits]


@requirement("learning:capabilities:reliable")
def test_what_fits_is_found_and_what_does_not_fit_is_not() -> None:
    assert names("count commits of last week", ONCE, OTHER) == ["count_commits_week"]
    assert names("translate a poem into French", ONCE, OTHER) == []


@requirement("learning:capabilities:reliable")
@pytest.mark.parametrize("cosines", [{}, {"count_commits_week": 0.8}])
def test_one_lucky_run_is_not_ranked_above_fifty_of_fifty_one(cosines: dict[str, float]) -> None:
    often = replace(ONCE, digest="d3", runs=51, successes=50)
    hits = scored_capabilities("count commits week", [ONCE, often], RARITY, cosines)
    assert [hit.capability.runs for hit in hits] == [51, 1]


@requirement("learning:capabilities:reliable")
@pytest.mark.parametrize(("runs", "successes"), [(10, 2), (3, 1), (50, 24)])
def test_one_that_fails_often_disappears(runs: int, successes: int) -> None:
    failing = replace(ONCE, runs=runs, successes=successes)
    assert names(failing.intent, failing, count_commits_week=1.0) == []


def test_of_many_that_fit_a_few_are_suggested() -> None:
    many = [replace(ONCE, name=f"count_commits_{number}") for number in range(20)]
    assert len(names("count commits week", *many)) == MOST_SUGGESTED
