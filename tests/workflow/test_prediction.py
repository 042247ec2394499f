"""The next call is predicted with a probability that can be believed."""

from collections import Counter
from itertools import pairwise
from random import Random

import pytest
from tests.requirements import requirement
from tests.workflow.planning_tools import edge, tool

from recollect.gateway.tool_graph import ToolEdge
from recollect.workflow.candidates import RequestStep, ToolCandidate
from recollect.workflow.plan import Plan
from recollect.workflow.plan_request import PlanRequest
from recollect.workflow.planning import plan
from recollect.workflow.prediction import BackOffBigram, DeclaredPlan, Predictor, calibrated


def best(predictor: Predictor, *recent: str) -> tuple[str, float]:
    first = predictor.predict([f"s:{name}" for name in recent])[0]
    return first.tool, first.probability


def test_what_followed_the_last_call_most_often_comes_first() -> None:
    edges = [edge("clone", "install", 5), edge("clone", "status", 2), edge("status", "commit", 9)]
    predictor = BackOffBigram(edges)

    assert best(predictor, "commit", "clone")[0] == "s:install"
    assert BackOffBigram(edges[::-1]).predict(["s:clone"]) == predictor.predict(["s:clone"])


def test_after_an_unknown_tool_the_most_frequent_comes_first_with_little_certainty() -> None:
    predictor = BackOffBigram([edge("a", "b", 3), edge("c", "d", 5), edge("d", "e", 4)])

    assert best(predictor, "never_seen") == best(predictor)
    assert best(predictor)[0] == "s:d"
    assert best(predictor)[1] < 0.5
    assert BackOffBigram([]).predict(["s:a"]) == []


def test_more_observations_of_the_same_make_a_prediction_surer() -> None:
    sure = [
        best(BackOffBigram([edge("a", "b", count), edge("x", "y", 50)]), "a")[1]
        for count in (1, 3, 12, 50)
    ]

    assert sure == sorted(sure)
    assert sure[0] < 0.6
    assert sure[-1] > 0.92


def test_a_tool_that_follows_itself_is_predicted_again() -> None:
    assert (
        best(BackOffBigram([edge("read", "read", 8), edge("read", "edit", 2)]), "read")[0] == "s:read"
    )


def test_what_was_seen_once_is_not_certain_although_nothing_else_was_ever_seen() -> None:
    seen_once = BackOffBigram([edge("read", "edit")]).predict(["s:read"])
    unseen_before = BackOffBigram([edge("read", "edit", 50)]).predict(["s:other"])

    assert [each.tool for each in seen_once] == ["s:edit"]
    assert seen_once[0].probability < 0.85
    assert unseen_before[0].probability < 1


def test_only_calls_after_each_other_count() -> None:
    contains = ToolEdge("s:a", "s:b", 9, "contains")

    assert BackOffBigram([contains]).predict(["s:a"]) == []


def test_calibration_keeps_the_order_and_stays_a_probability() -> None:
    values = [calibrated(number / 100) for number in range(101)]

    assert values == sorted(values)
    assert 0 <= values[0] < values[-1] <= 1


@requirement("workflow:speculation:calibrated")
@pytest.mark.parametrize("seed", range(4))
def test_predictions_above_the_threshold_come_true_at_least_as_often_as_they_say(seed: int) -> None:
    """Habits of known strength, learned from a few sessions and tried on others: some tools were seen often,
    most of them once or twice, where the share of calls says 1.0 too easily."""
    rng = Random(seed)
    names = [f"s:t{number}" for number in range(60)]
    rarity = [1 / (1 + number) for number in range(60)]
    habits = {name: (rng.choices(names, rarity)[0], rng.choice([0.2, 0.6, 0.99])) for name in names}

    def session() -> list[str]:
        calls = rng.choices(names, rarity)
        while len(calls) < 12:
            usual, loyalty = habits[calls[-1]]
            calls.append(usual if rng.random() < loyalty else rng.choices(names, rarity)[0])
        return calls

    learned = Counter(pair for _ in range(60) for pair in pairwise(session()))
    predictor = BackOffBigram([ToolEdge(*pair, count) for pair, count in learned.items()])
    guesses = [
        (predictor.predict([last])[0], following)
        for _ in range(100)
        for last, following in pairwise(session())
    ]
    certain = [guess.tool == following for guess, following in guesses if guess.probability >= 0.9]
    mean = sum(guess.probability for guess, _ in guesses) / len(guesses)
    right = sum(guess.tool == following for guess, following in guesses) / len(guesses)

    assert sum(certain) >= 0.9 * len(certain) > 0
    assert mean <= right + 0.02


def planned() -> Plan:
    tools = [tool("clone"), tool("build"), tool("deploy")]
    scores = [
        ToolCandidate(each, 1.0, tuple(float(other is each) for other in tools)) for each in tools
    ]
    return plan(PlanRequest("ship it", scores, tuple(RequestStep(each.name) for each in tools)))


def test_a_declared_plan_predicts_the_tasks_whose_turn_has_come() -> None:
    made = planned()
    predictor = DeclaredPlan(made)

    assert best(predictor) == ("s:clone", made.confidence.value)
    assert [each.tool for each in predictor.predict(["s:clone"])] == ["s:build"]
    assert [each.tool for each in predictor.predict(["s:clone", "s:build"])] == ["s:deploy"]
    assert predictor.predict(["s:clone", "s:build", "s:deploy"]) == []


def test_a_declared_plan_says_nothing_once_something_else_was_called() -> None:
    assert DeclaredPlan(planned()).predict(["s:clone", "s:rollback"]) == []
