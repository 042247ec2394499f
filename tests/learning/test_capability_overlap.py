"""Which capabilities do what a session did call by call."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from tests.learning.test_replay import trace
from tests.requirements import requirement

from recollect.learning.capabilities import Capability
from recollect.learning.capability_overlap import OverlapHit, overlapping_capabilities
from recollect.learning.capability_scorings import (
    capability_params,
    overlap_candidates,
    request_candidates,
)
from recollect.learning.capability_search import CapabilityHit
from recollect.learning.rescoring import rescored

REPORT = Capability("report", "d1", "report", "1", tools=("fs:read", "git:log", "git:show"))
SINGLE = Capability("single", "d2", "read", "1", tools=("fs:read",))


def scores(tools: set[str], *capabilities: Capability) -> dict[str, float]:
    hits = overlapping_capabilities(tools, capabilities)
    return {hit.capability.name: round(hit.score, 2) for hit in hits}


@requirement("learning:capabilities:unasked")
def test_a_capability_scores_by_the_share_of_its_tools_that_were_called() -> None:
    assert scores({"fs:read", "git:log"}, REPORT, SINGLE) == {"report": 0.67}
    assert scores({"fs:read", "git:log", "git:show", "x:y"}, REPORT, SINGLE) == {"report": 1.0}
    assert scores({"fs:read"}, REPORT, SINGLE) == {}


@requirement("learning:capabilities:unasked")
def test_reliable_ones_come_first_and_one_that_fails_often_scores_next_to_nothing() -> None:
    often = replace(REPORT, name="often", runs=51, successes=50)
    failing = replace(REPORT, name="failing", runs=10, successes=2)
    tools = set(REPORT.tools)
    assert scores(tools, failing, REPORT, often) == {"often": 1.2, "report": 1.0, "failing": 0.1}


@requirement("learning:traces:replay")
@given(st.floats(0, 1), st.integers(0, 60), st.floats(0, 1))
def test_replay_computes_the_scores_of_capabilities_exactly(
    fit: float, successes: int, share: float
) -> None:
    capability = replace(REPORT, runs=60, successes=successes)
    by_request = request_candidates([CapabilityHit(capability, fit)])
    by_tools = overlap_candidates([OverlapHit(capability, share)], 0.8)

    for candidate in (*by_request, *by_tools):
        assert rescored(trace("capability", capability_params(), candidate)) == candidate.score


def test_a_decision_says_why_a_capability_was_not_suggested() -> None:
    failing = replace(REPORT, runs=10, successes=2)
    hits = [OverlapHit(REPORT, 1.0), OverlapHit(REPORT, 0.7), OverlapHit(failing, 1.0)]
    decisions = [each.decision for each in overlap_candidates(hits, 0.8)]
    assert decisions == ["accepted", "below_threshold", "unreliable"]
