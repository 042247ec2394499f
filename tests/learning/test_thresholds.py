"""Thresholds find the score from which on 85% succeed, within their bounds, and do not swing."""

import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from statistics import mean, pstdev

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement

from recollect.app.state_source import FolderState
from recollect.app.thresholds import LearnedThresholds, stored_thresholds
from recollect.clock import from_text
from recollect.learning.pending_decisions import PendingDecisions
from recollect.learning.thresholds import (
    AdaptiveThreshold,
    DecisionKind,
    Execution,
    after,
    bounds,
    started,
)
from recollect.storage.sqlite.state import StateDatabase

FIRST, NEXT, THIRD = (f"2026-01-0{day}T10:00:00Z" for day in (1, 2, 3))
Curve = Callable[[float], float]
CURVES: dict[str, Curve] = {
    "as likely as the score says": lambda score: score,
    "less likely than the score says": lambda score: max(0.0, score - 0.08),
    "much less likely": lambda score: score * score,
    "steep": lambda score: 0.97 if score > 0.86 else 0.45,
}


def executed(
    threshold: AdaptiveThreshold, curve: Curve, chance: random.Random, count: int, at: str
) -> tuple[AdaptiveThreshold, list[bool]]:
    """So many executions later, and whether each accepted one succeeded."""
    successes = []
    for _ in range(count):
        score = 0.5 + chance.random() / 2
        succeeds, accepted = chance.random() < curve(score), score >= threshold.value
        if accepted:
            successes.append(succeeds)
        right = succeeds if accepted else not succeeds
        threshold = after(threshold, Execution(score, accepted, right), at)
    return threshold, successes


def true_success(name: str, threshold: AdaptiveThreshold) -> float:
    """How likely what the threshold accepts succeeds: the curve itself, without the chance of a sample."""
    scores = [0.5 + step / 4_000 for step in range(2_001)]
    return mean(CURVES[name](score) for score in scores if score >= threshold.value)


def converged(name: str, executions: int) -> list[float]:
    """The success that twelve workloads of that curve end with."""
    ends = (
        executed(started("capability"), CURVES[name], random.Random(seed), executions, FIRST)[0]
        for seed in range(12)
    )
    return [true_success(name, threshold) for threshold in ends]


@requirement("learning:thresholds:adaptive")
@pytest.mark.parametrize("name", CURVES)
def test_200_executions_bring_a_workload_to_85_percent(name: str) -> None:
    """Nine of twelve workloads are within 5 points: 200 executions cannot say it of each more surely."""
    rates = converged(name, 200)

    assert mean(rates) == pytest.approx(0.85, abs=0.04)
    assert sum(abs(rate - 0.85) <= 0.05 for rate in rates) >= 9
    assert all(0.75 <= rate <= 0.95 for rate in rates)


@requirement("learning:thresholds:adaptive")
@pytest.mark.parametrize("name", CURVES)
def test_more_executions_bring_a_threshold_closer(name: str) -> None:
    """The steps shrink, so that chance averages out: after 1,000 executions no workload is off."""
    rates = converged(name, 1_000)

    assert all(abs(rate - 0.85) <= 0.055 for rate in rates)
    assert pstdev(rates) < pstdev(converged(name, 200))


@requirement("learning:thresholds:adaptive")
@pytest.mark.parametrize(("likelihood", "end"), [(0.5, 0.95), (0.99, 0.70)])
def test_where_85_percent_cannot_be_reached_the_nearer_bound_is(likelihood: float, end: float) -> None:
    threshold, _ = executed(started("capability"), lambda _: likelihood, random.Random(0), 400, FIRST)

    assert threshold.value == pytest.approx(end, abs=0.01)


@requirement("learning:thresholds:adaptive")
def test_a_threshold_that_accepts_nothing_is_lowered_by_what_was_needed_and_not_raised() -> None:
    needed = unneeded = started("capability")
    for _ in range(100):
        needed = after(needed, Execution(0.75, accepted=False, right=False), FIRST)
        unneeded = after(unneeded, Execution(0.75, accepted=False, right=True), FIRST)

    assert needed.value <= 0.75
    assert unneeded.value == started("capability").value


@requirement("learning:thresholds:adaptive")
@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize("seed", range(3))
def test_a_restart_after_every_execution_changes_nothing(tmp_path: Path, name: str, seed: int) -> None:
    """Each execution is learned by a process of its own, which knows only what the store has."""
    store = StateDatabase(str(tmp_path / "state.db")).thresholds
    chance, unbroken = random.Random(seed), started("capability")
    for _ in range(40):
        score = 0.5 + chance.random() / 2
        succeeds, accepted = chance.random() < CURVES[name](score), score >= unbroken.value
        execution = Execution(score, accepted, succeeds if accepted else not succeeds)
        unbroken = after(unbroken, execution, FIRST)
        process = LearnedThresholds(lambda: from_text(FIRST))
        process.executed("capability", execution)
        process.write(store)

    assert store.get("capability") == unbroken


@requirement("learning:thresholds:adaptive")
@given(
    st.sampled_from(["speculation", "capability"]),
    st.lists(st.builds(Execution, st.floats(0, 1), st.booleans(), st.booleans()), max_size=120),
)
def test_no_executions_move_a_threshold_out_of_its_bounds(
    kind: DecisionKind, executions: list[Execution]
) -> None:
    threshold = started(kind)
    low, high = bounds(kind)
    for execution in executions:
        threshold = after(threshold, execution, FIRST)

        assert low <= threshold.value <= high
    assert len(threshold.recent) <= 50
    assert threshold.executions == len(executions)


@requirement("learning:thresholds:adaptive")
@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize("seed", range(3))
def test_one_bad_day_moves_a_settled_threshold_by_little(name: str, seed: int) -> None:
    settled, _ = executed(started("capability"), CURVES[name], random.Random(seed), 300, FIRST)
    outage, successes = executed(settled, lambda _: 0.0, random.Random(seed), 300, NEXT)
    recovered, undisturbed = (
        executed(before, CURVES[name], random.Random(seed + 100), 200, THIRD)[0]
        for before in (outage, settled)
    )

    assert not any(successes)
    assert outage.value - settled.value <= 0.0301
    assert recovered.value - undisturbed.value <= 0.04


@requirement("learning:thresholds:adaptive")
def test_a_change_that_stays_is_followed_day_by_day() -> None:
    threshold, chance = started("capability"), random.Random(0)
    threshold, _ = executed(threshold, CURVES["as likely as the score says"], chance, 300, FIRST)
    values = [threshold.value]
    for day in range(2, 8):
        at = f"2026-01-0{day}T10:00:00Z"
        threshold, _ = executed(threshold, lambda score: score - 0.3, chance, 100, at)
        values.append(threshold.value)

    assert all(0 <= later - value <= 0.0301 for value, later in pairwise(values))
    assert values[-1] - values[0] >= 0.15


def test_every_tenth_execution_may_move_it_and_the_history_says_why() -> None:
    threshold = started("capability")
    for number in range(1, 31):
        threshold = after(threshold, Execution(0.9, True, False), FIRST)

        assert len(threshold.history) == number // 10
    assert [move.success for move in threshold.history] == [0.0, 0.0, 0.0]
    assert threshold.history[-1].after == threshold.value > threshold.history[0].before


@requirement("learning:thresholds:adaptive")
def test_thresholds_survive_a_restart_and_are_shared_by_processes(tmp_path: Path) -> None:
    def opened() -> LearnedThresholds:
        return LearnedThresholds(lambda: from_text(FIRST))

    store = StateDatabase(str(tmp_path / "state.db")).thresholds
    first, other = opened(), opened()
    for _ in range(30):
        first.executed("speculation", Execution(0.99, True, False))
    assert first.value("speculation") == started("speculation").value
    first.write(store)
    other.executed("speculation", Execution(0.99, True, False))
    other.write(store)

    restarted = opened()
    restarted.write(store)

    assert started("speculation").value < restarted.value("speculation") <= 0.95
    [stored] = stored_thresholds(FolderState(tmp_path))
    assert (stored.executions, stored.value) == (31, restarted.value("speculation"))
    assert stored_thresholds(FolderState(tmp_path / "elsewhere")) == ()


def test_predictions_are_decided_by_the_next_five_calls() -> None:
    pending = PendingDecisions()
    pending.add("s:a", 0.9, accepted=True)
    pending.add("s:b", 0.8, accepted=False)
    pending.add("s:c", 0.95, accepted=True)
    pending.add("s:d", 0.7, accepted=False)

    assert list(pending.called("s:a")) == [Execution(0.9, accepted=True, right=True)]
    assert list(pending.called("s:b")) == [Execution(0.8, accepted=False, right=False)]
    assert [*pending.called("s:x"), *pending.called("s:x")] == []
    assert list(pending.called("s:x")) == [
        Execution(0.95, accepted=True, right=False),
        Execution(0.7, accepted=False, right=True),
    ]
    assert list(pending.called("s:c")) == []
