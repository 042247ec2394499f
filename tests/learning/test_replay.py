"""Replay computes recorded scores exactly, and tells better parameters from worse ones."""

import random
from dataclasses import replace
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.app.test_traces import search
from tests.hook.test_prompt import keep
from tests.requirements import requirement

from recollect.app.project import Recollect
from recollect.errors import RefusedError
from recollect.gateway.discovery import Discovery, ToolExplanation, ToolHit
from recollect.gateway.tool import UpstreamTool
from recollect.gateway.tool_graph import relevance_share
from recollect.learning.proposing import propose
from recollect.learning.replay import compare, interval, parameter_effects
from recollect.learning.rescoring import rescored
from recollect.learning.scorings import search_candidates
from recollect.learning.tool_scorings import discovery_candidates
from recollect.learning.trace import CandidateTrace, Kind, Outcome, Params, ScoredCandidate
from recollect.retrieval.boosts import Boost
from recollect.retrieval.fusion import Explanation, by_rank, by_score, scored
from recollect.retrieval.gate import HYBRID, LEXICAL, Signals, judge, traced
from recollect.retrieval.reranking import Reranked
from recollect.values import replaced
from recollect.workflow.plan import PlanConfidence

SHARE = st.floats(0, 1)


def trace(
    kind: Kind,
    params: Params,
    candidate: ScoredCandidate,
    outcome: Outcome | None = None,
    id: str = "s",
) -> CandidateTrace:
    return CandidateTrace(
        id,
        "2026-01-01T00:00:00Z",
        kind,
        "c",
        "",
        candidate.name,
        candidate.signals,
        params,
        candidate.score,
        None,
        candidate.decision,
        1.0,
        outcome,
    )


def gate_trace(signals: Signals, outcome: Outcome | None = None, id: str = "s") -> CandidateTrace:
    verdict = judge(signals)
    numbers = traced(verdict)
    assert numbers is not None
    made = ScoredCandidate("mem:a", numbers[0], verdict.probability)
    return replace(trace("gate", numbers[1], made, outcome, id), threshold=verdict.threshold)


@requirement("learning:traces:replay")
@given(
    st.lists(st.tuples(SHARE, SHARE), min_size=1, max_size=8),
    st.tuples(SHARE, SHARE, SHARE, SHARE),
    st.booleans(),
    st.none() | st.builds(Reranked, SHARE, SHARE, SHARE, SHARE),
)
def test_recorded_search_scores_are_reproduced_exactly(
    raws: list[tuple[float, float]],
    others: tuple[float, float, float, float],
    ranks: bool,
    reranked: Reranked | None,
) -> None:
    channels = {
        "lexical": sorted(((key, a) for key, (a, _) in enumerate(raws)), key=lambda hit: -hit[1]),
        "vector": sorted(((key, b) for key, (_, b) in enumerate(raws)), key=lambda hit: -hit[1]),
        "files": [(0, 1.0)],
    }
    counts = {"lexical": 0.65, "vector": 0.35, "files": 0.8}
    fused = (by_rank if ranks else by_score)(cast("Any", channels), counts)
    session, causal, faded, authority = others
    boost = Boost((("session", 0.15 * session), ("causal", 0.05 * causal)))
    whys = {
        key: Explanation(parts, boost, 0.05 * authority, 0.3 * faded) for key, parts in fused.items()
    }
    hits = [(f"mem:{key}", replaced(why, reranked=reranked)) for key, why, _ in scored(whys)]

    params, candidates = search_candidates(hits)

    for candidate in candidates:
        assert rescored(trace("retrieval", params, candidate)) == candidate.score


@requirement("learning:traces:replay")
@given(st.tuples(*[SHARE] * 10), st.none() | SHARE)
def test_recorded_gate_scores_are_reproduced_exactly(
    values: tuple[float, ...], cosine: float | None
) -> None:
    coverage, together, phrase, telling, everyday, named, ahead, length, touched, _ = values
    signals = Signals(
        coverage, together, phrase, telling, everyday, named, ahead, cosine, length, touched
    )

    made = gate_trace(signals)

    assert rescored(made) == made.score
    assert made.threshold == (LEXICAL if cosine is None else HYBRID).threshold


@requirement("learning:traces:replay")
@given(SHARE, SHARE, SHARE, SHARE, SHARE, st.booleans())
def test_recorded_tool_and_plan_scores_are_reproduced_exactly(
    relevance: float, reliability: float, graph: float, density: float, evidence: float, exact: bool
) -> None:
    alpha = relevance_share(density, evidence)
    why = ToolExplanation(relevance, None, relevance, reliability, graph, alpha, exact)
    found = Discovery((ToolHit(UpstreamTool("s", "t"), why),), None, density, evidence)
    params, [candidate] = discovery_candidates(found)
    parts = PlanConfidence(relevance, reliability, graph)
    exponents = {"RELEVANCE_PART": 0.5, "DEPENDENCY_PART": 0.25, "ARGUMENT_PART": 0.25}
    names = {"relevance": relevance, "dependencies": reliability, "arguments": graph}

    assert rescored(trace("discovery", params, candidate)) == candidate.score == why.score
    planned = trace("plan", exponents, ScoredCandidate("p", names, parts.value))
    assert rescored(planned) == parts.value


def gate_traces(count: int = 160) -> list[CandidateTrace]:
    """Prompts of a project in which only `named` matters, and the weights in use overrate `together`."""
    chance = random.Random(3)
    traces = []
    for number in range(count):
        named, together = float(chance.random() < 0.5), chance.random()
        signals = Signals(0.5, together, 0.2, 0.5, 0.2, named, 0.8, None)
        is_used = chance.random() < (0.9 if named else 0.2)
        traces.append(gate_trace(signals, "succeeded" if is_used else "ignored", f"s{number}"))
    return traces


@requirement("learning:traces:replay")
def test_a_better_threshold_helps_a_worse_one_hurts_and_the_same_one_changes_nothing() -> None:
    traces = gate_traces()
    same = compare("gate", traces, {})

    better = compare("gate", traces, {"about.together": 0.0, "about.named": 6.0})
    worse = compare("gate", traces, {"about.named": -6.0})

    assert (same.inexact, same.difference, same.verdict) == (0, 0.0, "no clear difference")
    assert (better.verdict, worse.verdict) == ("helps", "hurts")
    assert better.low < better.difference < better.high
    assert better.after.precision is not None
    assert better.before.precision is not None
    assert better.after.precision > better.before.precision
    assert compare("gate", traces[:20], {"threshold": 0.9}).verdict == "too few outcomes"


def test_a_parameter_that_does_not_exist_is_refused() -> None:
    with pytest.raises(
        RefusedError, match=r"gate has no parameter 'about.nmaed'; choose one of about.ahead"
    ):
        compare("gate", gate_traces(40), {"about.nmaed": 1.0})


def test_a_ranking_is_judged_by_where_the_useful_candidate_stands() -> None:
    params = {"weight.lexical": 0.65, "weight.vector": 0.35, "boost_cap": 0.2}

    def hit(name: str, lexical: float, vector: float) -> ScoredCandidate:
        return ScoredCandidate(name, {"lexical": lexical, "vector": vector, "scale": 1.0}, 0.0)

    def page(id: str) -> list[CandidateTrace]:
        words, meaning = hit("mem:words", 1.0, 0.0), hit("mem:meaning", 0.0, 1.0)
        return [
            trace("retrieval", params, words, "ignored", id),
            trace("retrieval", params, meaning, "selected", id),
        ]

    traces = [each for number in range(40) for each in page(f"s{number}")]

    changed = compare("retrieval", traces, {"weight.vector": 0.9})

    assert (changed.before.quality, changed.after.quality, changed.verdict) == (0.5, 1.0, "helps")


@requirement("learning:traces:proposes")
def test_proposed_weights_are_bounded_and_checked_on_the_other_half() -> None:
    proposal = propose("gate", gate_traces())

    assert proposal is not None
    assert proposal.stands
    changes = {change.name: change for change in proposal.changes}
    assert changes["about.named"].proposed > changes["about.named"].value
    for change in proposal.changes:
        low, high = sorted((0.5 * change.value, 1.5 * change.value))
        assert low <= change.proposed <= high
    assert propose("gate", gate_traces(40)) is None


@requirement("learning:traces:proposes")
def test_outcomes_that_are_chance_lead_to_no_advice() -> None:
    chance = random.Random(5)
    traces = [
        replace(each, outcome="succeeded" if chance.random() < 0.5 else "ignored")
        for each in gate_traces(120)
    ]

    proposal = propose("gate", traces)

    assert proposal is not None
    assert not proposal.stands


@settings(max_examples=30)
@given(st.lists(st.floats(-1, 1), min_size=1, max_size=40))
def test_an_interval_holds_its_mean_and_is_the_same_every_time(gains: list[float]) -> None:
    low, high = interval(gains)

    assert min(gains) - 1e-9 <= low <= high <= max(gains) + 1e-9 or not any(gains)
    assert interval(gains) == (low, high)


@requirement("learning:traces:replay")
def test_what_a_project_recorded_is_reproduced_exactly(project: Recollect) -> None:
    keep(project)
    keep(project, "Redirect the login of the portal")
    search(project)

    traces = project.traces.latest(10)

    assert traces
    assert all(rescored(each) == each.score for each in traces)


@requirement("learning:traces:replay")
def test_the_effect_of_each_parameter_is_what_is_lost_without_it() -> None:
    effects = {effect.name: effect for effect in parameter_effects("gate", gate_traces())}

    assert effects["about.named"].verdict == "helps"
    assert "about.cosine" not in effects  # its weight is 0 without a model
    assert parameter_effects("gate", gate_traces(20)) == []
