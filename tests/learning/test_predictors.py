"""The next tool: longer contexts, and a gate that uses them only if they predict held-out calls better."""

import gzip
import json
import random
from math import isfinite
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement

from recollect.app.next_tools import NextTools
from recollect.bench.next_step import measure
from recollect.errors import InvalidError, NotFoundError
from recollect.learning.context_predictor import ContextPredictor
from recollect.learning.graph_predictor import GraphPredictor
from recollect.learning.predictor_choice import (
    BASELINE,
    PREDICTORS,
    Guess,
    bigram,
    choose,
    held_out,
    platt,
)
from recollect.storage.sqlite.state import StateDatabase
from recollect.workflow.prediction import calibrated

TOOLS = st.sampled_from("abcd")
SEQUENCES = st.lists(st.lists(TOOLS, min_size=1, max_size=6), min_size=1, max_size=8)


@given(SEQUENCES, st.lists(TOOLS, max_size=5))
def test_probabilities_add_up_to_one_and_are_sorted(
    sequences: list[list[str]], recent: list[str]
) -> None:
    for predictor in (ContextPredictor(sequences), ContextPredictor(sequences, 3, 0.0)):
        guesses = predictor.predict(recent)

        assert sum(guess.raw for guess in guesses) == pytest.approx(1)
        assert [guess.raw for guess in guesses] == sorted((g.raw for g in guesses), reverse=True)
        assert {guess.tool for guess in guesses} == {tool for calls in sequences for tool in calls}


@given(SEQUENCES, st.lists(TOOLS, max_size=5))
def test_the_tool_graph_scores_every_tool_it_knows(
    sequences: list[list[str]], recent: list[str]
) -> None:
    guesses = GraphPredictor(sequences).predict(recent)

    assert {guess.tool for guess in guesses} == {tool for calls in sequences for tool in calls}
    assert all(0 <= guess.raw <= 1 for guess in guesses)


def alternating(count: int) -> list[list[str]]:
    """After `read` comes what the call before it did not do: one call back says nothing, two say all."""
    chance = random.Random(1)
    return [
        [start, "read", "write" if start == "list" else "delete", "done"]
        for start in (chance.choice(["list", "find"]) for _ in range(count))
    ]


def noise(count: int) -> list[list[str]]:
    chance = random.Random(2)
    return [[chance.choice("abcdefgh") for _ in range(5)] for _ in range(count)]


def test_a_context_of_two_calls_knows_what_one_call_does_not() -> None:
    sequences = alternating(20)

    assert ContextPredictor(sequences).predict(["list", "read"])[0].tool == "write"
    assert ContextPredictor(sequences).predict(["find", "read"])[0].tool == "delete"
    assert held_out(sequences, ContextPredictor).rates[0] > held_out(sequences, bigram).rates[0]


@requirement("learning:next-step:earns")
def test_a_predictor_is_used_only_if_it_beats_the_bigram_on_held_out_sequences() -> None:
    assert choose(alternating(40)).name.startswith("two calls")
    chained = [["a", "b", "c", "d"]] * 30
    assert choose(chained).name == BASELINE  # nothing can be better than the bigram here
    assert choose(alternating(19)).name == BASELINE  # too few to decide
    assert choose(noise(60)).results.keys() >= {BASELINE, "tool graph"}


def test_a_scaling_corrects_guesses_that_are_too_sure() -> None:
    chance = random.Random(4)
    guesses = [Guess(0.95, chance.random() < 0.6) for _ in range(400)]

    slope, shift = platt(guesses)

    assert calibrated(0.95, slope, shift) == pytest.approx(0.6, abs=0.06)


@given(st.lists(st.builds(Guess, st.floats(0, 1), st.booleans()), max_size=30))
def test_a_scaling_is_finite_for_any_guesses(guesses: list[Guess]) -> None:
    assert all(map(isfinite, platt(guesses)))


def learn_all(tools: NextTools) -> int:
    """Learn in the smallest slices; how many it took."""
    slices = 1
    while not tools.learn(0.0):
        slices += 1
    return slices


def call(tools: NextTools, sequences: list[list[str]], name: str = "") -> None:
    for number, calls in enumerate(sequences):
        for tool in calls:
            tools.called(f"{name}{number}", tool)


@given(SEQUENCES, st.lists(TOOLS, max_size=5))
def test_a_predictor_that_counts_one_call_more_is_the_one_that_learned_it(
    sequences: list[list[str]], recent: list[str]
) -> None:
    for name in ("two calls and later ones", BASELINE):
        added = PREDICTORS[name]([])
        for calls in sequences:
            for place, tool in enumerate(calls):
                added.add(calls[:place], tool)

        assert added.probabilities(recent) == PREDICTORS[name](sequences).probabilities(recent)


def test_the_tool_graph_knows_a_tool_that_was_added() -> None:
    graph = GraphPredictor([["a", "b"], ["b", "c"]])

    graph.add(["c"], "new")

    assert graph.predict(["c"])[0].tool == "new"


@requirement("learning:next-step:cheap")
def test_a_choice_is_made_in_slices_and_the_predictor_before_it_predicts_meanwhile(
    tmp_path: Path,
) -> None:
    store = StateDatabase(str(tmp_path / "state.db")).sequences
    tools = NextTools()
    call(tools, [["a", "b"]] * 15)
    tools.write(store)
    learn_all(tools)
    call(tools, alternating(30), "more")

    tools.write(store)

    assert not tools.learn(0.0)
    assert tools.predict(["a"])[0].tool == "b"
    assert tools.predict(["list"])[0].tool == "read"  # counted, though nothing was chosen yet
    assert learn_all(tools) > 100
    assert tools.predict(["find", "read"])[0].tool == "delete"


@requirement("learning:next-step:cheap")
def test_a_predictor_is_chosen_again_only_after_a_quarter_more_calls(tmp_path: Path) -> None:
    store = StateDatabase(str(tmp_path / "state.db")).sequences
    tools = NextTools()
    call(tools, alternating(50))  # 200 calls
    tools.write(store)
    learn_all(tools)

    call(tools, alternating(12), "more")  # 48
    tools.write(store)
    assert tools.learn(0.0)

    call(tools, alternating(1), "last")  # 52
    tools.write(store)
    assert not tools.learn(0.0)


def test_nothing_is_predicted_from_a_few_calls(tmp_path: Path) -> None:
    """The tool graph remembers more; a predictor that knows two calls would replace it."""
    store = StateDatabase(str(tmp_path / "state.db")).sequences
    tools = NextTools()
    for number in range(3):
        call(tools, [["a", "b"]], str(number))
        tools.write(store)
        learn_all(tools)

    assert tools.predict(["a"]) == ()


def test_calls_during_a_choice_are_not_lost(tmp_path: Path) -> None:
    store = StateDatabase(str(tmp_path / "state.db")).sequences
    tools = NextTools()
    call(tools, alternating(25))
    tools.write(store)
    tools.learn(0.0)

    call(tools, [["new", "newer"]], "meanwhile")
    tools.write(store)
    learn_all(tools)

    assert tools.predict(["new"])[0].tool == "newer"


def test_what_sessions_called_is_learned_and_predicted(tmp_path: Path) -> None:
    store = StateDatabase(str(tmp_path / "state.db")).sequences
    tools = NextTools()
    assert tools.predict(["list", "read"]) == ()
    call(tools, alternating(25))

    tools.write(store)
    learn_all(tools)

    assert tools.predict(["list", "read"])[0].tool == "write"
    later = NextTools()
    later.write(store)
    learn_all(later)
    assert later.predict(["find", "read"])[0].tool == "delete"


def write(folder: Path, sequences: list[list[str]]) -> Path:
    rows = (json.dumps({"id": str(n), "calls": calls}) + "\n" for n, calls in enumerate(sequences))
    (folder / "sequences.jsonl.gz").write_bytes(gzip.compress("".join(rows).encode()))
    return folder


@requirement("learning:next-step:earns")
def test_the_bench_chooses_within_the_folds_that_it_learns_from(tmp_path: Path) -> None:
    out = measure(write(tmp_path, alternating(40)))

    assert out["hit@1"] == out["predictors"]["two calls"]["hit@1"] > out["bigram"]["hit@1"]
    assert sum(out["chosen"].values()) == 5
    assert sum(row["guesses"] for row in out["reliability"]) == 160
    assert 0 < out["choice_longest_ms"] < out["choice_ms"]


def test_the_bench_names_what_it_cannot_read(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="cannot be read"):
        measure(tmp_path)
    with pytest.raises(InvalidError, match="at least 5"):
        measure(write(tmp_path, alternating(3)))
    (tmp_path / "sequences.jsonl.gz").write_bytes(gzip.compress(b"[1]\n"))
    with pytest.raises(InvalidError, match="no sequences of calls"):
        measure(tmp_path)
