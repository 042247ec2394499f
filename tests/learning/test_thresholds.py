"""Thresholds find the score from which on 85% succeed, within their bounds, and do not swing."""

import random
from collections.abc import Callable
from pathlib import Path
from statistics import mean

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


@requirement("learning:thresholds:adaptive")
@pytest.mark.parametrize("name", CURVES)
def test_a_workload_with_a_known_success_curve_converges_to_85_percent(name: str) -> None:
    """What is accepted after 200 executions succeeds in 80 to 90 of 100 cases, over twelve workloads."""
    rates = []
    for seed in range(12):
        chance = random.Random(seed)
        threshold, _ = executed(started("capability"), CURVES[name], chance, 200, FIRST)
        scores = [0.5 + chance.random() / 2 for _ in range(2_000)]
        rates.append(mean(CURVES[name](score) for score in scores if score >= threshold.value))

    assert mean(rates) == pytest.approx(0.85, abs=0.05)


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
def test_one_bad_day_moves_a_settled_threshold_by_little() -> None:
    chance = random.Random(1)
    settled, _ = executed(
        started("capability"), CURVES["as likely as the score says"], chance, 300, FIRST
    )
    outage, successes = executed(settled, lambda _: 0.0, chance, 300, NEXT)
    recovered, _ = executed(outage, CURVES["as likely as the score says"], chance, 200, THIRD)

    assert not any(successes)
    assert outage.value - settled.value <= 0.0301
    assert abs(recovered.value - settled.value) <= 0.031


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
