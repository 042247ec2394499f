"""When the gate speaks, worked out by hand."""

from pathlib import Path

import pytest
from tests.bench.tiny import PETS_SET, data_set, question, text, write_set

from recollect.bench.data_sets import DataSet, load
from recollect.bench.gate import (
    THRESHOLDS,
    GateCase,
    GateOutcome,
    KindOutcome,
    best_strategy,
    by_kind,
    calibrated,
    measures,
    other_sets,
    outcome,
    run_cases,
    run_kinds,
    run_unrelated,
)
from recollect.bench.metrics import Interval
from recollect.errors import InvalidError, NotFoundError

RIGHT = GateCase(0.9, (True, False), answerable=True)
WRONG = GateCase(0.8, (False,), answerable=True)
SILENT = GateCase(0.1, (True,), answerable=True)
NOTHING = GateCase(0.0, (), answerable=True)
FALSE_ALARM = GateCase(0.6, (False, False), answerable=False)
IGNORED = GateCase(0.2, (False,), answerable=False)
STRANGE = data_set([], [question("s", "cats purr at noon", "x"), question("t", "soup")])


def test_an_outcome_is_what_a_person_would_count() -> None:
    every = [RIGHT, WRONG, SILENT, NOTHING, FALSE_ALARM, IGNORED]

    assert outcome(every, 0.5) == GateOutcome(
        threshold=0.5,
        injected_rate=2 / 4,
        precision=1 / 2,
        relevant_share=1 / 3,
        false_inject_rate=1 / 2,
        silent_rate=2 / 4,
    )


def test_a_prompt_that_found_nothing_is_silence_at_any_threshold() -> None:
    assert outcome([NOTHING], 0.0).silent_rate == 1.0


def test_a_probability_that_is_the_threshold_speaks() -> None:
    assert outcome([RIGHT], 0.9).injected_rate == 1.0
    assert outcome([RIGHT], 0.91).injected_rate == 0.0


def test_an_outcome_of_no_cases_is_all_silence() -> None:
    assert outcome([], 0.5) == GateOutcome(0.5, 0.0, None, None, None, 1.0)


def test_a_rate_of_nothing_is_none_and_not_zero() -> None:
    silent = outcome([SILENT, IGNORED], 0.5)
    alone = outcome([WRONG], 0.5)

    assert (silent.precision, silent.relevant_share, silent.false_inject_rate) == (None, None, 0.0)
    assert (alone.precision, alone.relevant_share, alone.false_inject_rate) == (0.0, 0.0, None)


def test_rates_have_intervals_and_those_of_nothing_are_left_out() -> None:
    every = [RIGHT, WRONG, SILENT, NOTHING, FALSE_ALARM, IGNORED]

    assert {name: rate.mean for name, rate in measures(every, 0.5).items()} == {
        "injected_rate": 0.5,
        "precision@3": 0.5,
        "false_inject_rate": 0.5,
    }
    assert measures([SILENT], 0.5) == {"injected_rate": Interval(0.0, 0.0, 0.0)}


def test_a_higher_threshold_never_speaks_more_often() -> None:
    found = [outcome([RIGHT, WRONG, SILENT, FALSE_ALARM, IGNORED], at) for at in THRESHOLDS]

    rates = [(one.injected_rate, one.false_inject_rate or 0.0) for one in found]
    assert rates == sorted(rates, reverse=True)


def test_a_sets_own_queries_are_answerable_and_those_of_others_are_not() -> None:
    found = run_cases(PETS_SET, [STRANGE], "fts5_bm25")

    own = [case for case in found if case.answerable]
    strange = [case for case in found if not case.answerable]
    assert [any(case.hits) for case in own] == [True, False]
    assert own[0].probability > own[1].probability == 0.0
    assert len(strange) == 2
    assert sorted(case.hits for case in strange) == [(), (False,)]


def test_no_hit_of_a_stranger_counts_as_relevant_even_under_a_known_id() -> None:
    same_id = data_set([], [question("s", "cats purr", "cats")])

    found = run_cases(PETS_SET, [same_id], "fts5_bm25")

    assert [case.hits for case in found if not case.answerable] == [(False,)]


def test_strange_prompts_are_put_to_every_group_and_none_is_answerable() -> None:
    data = _grouped("", "", same=False)

    found = run_unrelated(data, ["text 0", "zebra"], "fts5_bm25")

    assert [case.answerable for case in found] == [False] * 4
    assert [any(case.hits) for case in found] == [False] * 4
    assert [case.signals is not None for case in found] == [True, False, True, False]


def _grouped(*titles: str, same: bool) -> DataSet:
    texts = [
        text(f"{group}-{number}", f"text {number} {'' if same else group}", group=group, title=title)
        for group in ("one", "two")
        for number, title in enumerate(titles)
    ]
    return data_set(texts, [question(g, "text", f"{g}-0", group=g) for g in ("one", "two")])


@pytest.mark.parametrize(
    ("data", "strangers"),
    [
        (_grouped("", "", same=False), 2),
        (_grouped("", "", same=True), 0),
        (_grouped("a.py", "b.py", same=False), 0),
    ],
    ids=["untitled texts", "the same untitled texts", "versions of the same files"],
)
def test_queries_of_another_group_are_strangers_unless_it_is_a_version_of_this_one(
    data: DataSet, strangers: int
) -> None:
    found = run_cases(data, [], "fts5_bm25")

    assert sum(not case.answerable for case in found) == strangers


def test_the_same_seed_puts_the_same_strange_prompts() -> None:
    many = data_set([], [question(str(n), f"cats and {n} dogs") for n in range(400)])

    found = run_cases(PETS_SET, [many], "fts5_bm25")

    assert found == run_cases(PETS_SET, [many], "fts5_bm25")
    assert sum(not case.answerable for case in found) == 300


def test_without_a_model_the_gate_of_hybrid_search_is_not_measured() -> None:
    with pytest.raises(NotFoundError, match="'hybrid' needs an embedding model"):
        run_cases(PETS_SET, [], "hybrid")


@pytest.mark.usefixtures("model")
def test_with_a_model_a_prompt_in_other_words_is_answered() -> None:
    found = run_cases(PETS_SET, [], "hybrid")

    assert [any(case.hits) for case in found] == [True, True]


@pytest.mark.usefixtures("model")
def test_every_document_has_its_vector_before_the_first_prompt() -> None:
    """A search embeds a few on its way, and answers without the rest: that must not be measured."""
    others = [text(f"{number:03}", f"note {number}") for number in range(200)]
    data = data_set([*others, text("zz", "dogs")], [question("q", "puppies", "zz")])

    (case,) = run_cases(data, [], "hybrid")

    assert any(case.hits)


def test_without_a_model_words_are_the_best_there_is() -> None:
    assert best_strategy() == "fts5_bm25"


@pytest.mark.usefixtures("model")
def test_with_a_model_hybrid_is_the_best_there_is() -> None:
    assert best_strategy() == "hybrid"


def test_each_strategy_has_the_threshold_of_its_own_scale() -> None:
    assert 0 < calibrated("fts5_bm25") < 1
    assert 0 < calibrated("hybrid") < 1


def test_neighbours_are_the_other_sets_beside_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("pets", "other", "third"):
        write_set(tmp_path / "data" / name)
    (tmp_path / "data" / "no-set").mkdir()
    (tmp_path / "data" / "README.md").write_text("about")

    assert [one.name for one in other_sets(tmp_path / "data" / "pets")] == ["other", "third"]
    monkeypatch.chdir(tmp_path / "data" / "other")
    assert [one.name for one in other_sets(Path())] == ["pets", "third"]


def test_a_neighbour_that_cannot_be_read_is_left_out_and_told_of(tmp_path: Path) -> None:
    for name in ("pets", "other", "broken", "half"):
        write_set(tmp_path / name)
    (tmp_path / "broken" / "corpus.jsonl.gz").write_bytes(b"no gzip")
    (tmp_path / "half" / "qrels.jsonl.gz").unlink()
    told: list[str] = []

    assert [one.name for one in other_sets(tmp_path / "pets", told.append)] == ["other"]
    assert [one.split("/")[-2] for one in told] == ["broken", "half"]


def test_prompts_that_have_a_kind_are_counted_kind_by_kind_also_those_without_an_answer(
    tmp_path: Path,
) -> None:
    queries = [
        {"id": "q1", "text": "cats purr in the sun", "kind": "related"},
        {"id": "q2", "text": "cats purr in the sun at noon", "kind": "near_miss"},
        {"id": "q3", "text": "soup", "kind": "unrelated"},
        {"id": "q4", "text": "fish swim in circles"},
    ]
    qrels = [{"query": id, "doc": "cats", "grade": 1} for id in ("q1", "q4")]

    cases = run_kinds(load(write_set(tmp_path, queries=queries, qrels=qrels)), "fts5_bm25")

    assert by_kind(cases, 0.0) == {
        "related": KindOutcome(1, 1.0, 1.0),
        "near_miss": KindOutcome(1, 1.0, 0.0),
        "unrelated": KindOutcome(1, 0.0, None),
    }
    assert run_kinds(PETS_SET, "fts5_bm25") == []


def test_a_set_of_decisions_is_right_when_the_prompt_needed_its_memories(tmp_path: Path) -> None:
    memories = ["cats purr in the sun", "dogs bark at the postman"]
    cases = [
        {"query": "do cats purr in the sun", "memories": memories, "should_use": True},
        {"query": "which dogs bark at the postman", "memories": memories, "should_use": False},
        {"query": "soup", "memories": memories, "should_use": True},
    ]
    data = load(write_set(tmp_path, cases=cases))

    tried = run_kinds(data, "fts5_bm25")
    at = outcome(tried, 0.0, decisions=data.decisions)

    assert (at.injected_rate, at.precision, at.false_inject_rate) == (1 / 2, 1 / 2, 1.0)
    assert by_kind(tried, 0.0)["should_not_use"].injected_rate == 1.0
    assert measures(tried, 0.0, decisions=True)["precision@3"].mean == 1 / 2


def test_a_case_whose_memories_are_no_texts_is_named(tmp_path: Path) -> None:
    folder = write_set(tmp_path, cases=[{"query": "q", "memories": "one", "should_use": True}])

    with pytest.raises(InvalidError, match=r"line 1: 'memories' is .*a list of strings"):
        load(folder)
