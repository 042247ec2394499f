"""`--save`: results that the next run compares with."""

import json
from typing import Any

import pytest
from tests.bench.tiny import ASKED, GRADED, PETS, write_set
from tests.cli.running import Cli
from tests.cli.shapes import SHAPES, mismatches
from tests.requirements import requirement

from recollect.cli.exits import ErrorOutput


@pytest.fixture
def pets(bare: Cli) -> Cli:
    """A folder without a memory root, with one set in it."""
    write_set(bare.folder / "data" / "pets")
    return bare


def retrieval(cli: Cli, *options: str) -> None:
    cli.ok("bench", "retrieval", "--data", "data/pets", "--json", *options)


def kept_by(cli: Cli) -> dict[str, Any]:
    """The one row of what is kept."""
    (row,) = json.loads((cli.folder / "k.json").read_text())["results"].values()
    return dict(row)


@requirement("measure:command:regression")
@pytest.mark.parametrize("options", [("--json",), ()])
def test_a_run_that_is_worse_than_the_kept_one_fails_and_keeps_it(
    pets: Cli, options: tuple[str, ...]
) -> None:
    arguments = ("bench", "retrieval", "--data", "data/pets", "--save", "kept.json", *options)
    write_set(pets.folder / "data" / "pets", queries=ASKED[:1])
    pets.ok(*arguments)
    pets.ok(*arguments)
    kept = (pets.folder / "kept.json").read_bytes()
    write_set(pets.folder / "data" / "pets", queries=[{"id": "q1", "text": "kittens"}])

    worse = pets(*arguments)

    assert worse.exit_code == 9
    assert "worse: lexical ndcg@10 is 0.000, below 1.000; it was 1.000" in worse.err
    assert "lexical" in worse.out
    assert (pets.folder / "kept.json").read_bytes() == kept


def test_what_is_kept_is_what_was_printed(pets: Cli) -> None:
    printed = pets.ok("bench", "retrieval", "--data", "data/pets", "--save", "k.json", "--json").json()

    kept = json.loads((pets.folder / "k.json").read_text())
    assert kept == {"bench": "retrieval", **printed}


def test_a_run_of_one_strategy_keeps_what_another_had(pets: Cli) -> None:
    retrieval(pets, "--save", "k.json", "--strategy", "lexical")
    retrieval(pets, "--save", "k.json", "--strategy", "title_tags")

    kept = json.loads((pets.folder / "k.json").read_text())
    assert kept["results"].keys() == {"lexical", "title_tags"}


def test_the_kept_result_of_another_set_is_refused(pets: Cli) -> None:
    write_set(pets.folder / "data" / "cars")
    retrieval(pets, "--save", "k.json")

    done = pets("bench", "retrieval", "--data", "data/cars", "--save", "k.json")

    assert done.exit_code == 5
    assert "'k.json' has the result of 'pets', not of 'cars'; name another file." in done.err


def test_a_result_that_cannot_be_kept_is_one_error(pets: Cli) -> None:
    done = pets("bench", "retrieval", "--data", "data/pets", "--save", "gone/k.json", "--json")

    assert done.exit_code == 7
    assert mismatches(done.json(), ErrorOutput) == []


def test_a_run_that_is_a_little_worse_is_fine_and_leaves_the_better_one(pets: Cli) -> None:
    asked = [{"id": str(n), "text": "who may purr"} for n in range(8)]
    graded = [{"query": str(n), "doc": "cats", "grade": 1} for n in range(8)]
    half = [*asked[:4], *({**row, "text": "snow"} for row in asked[4:])]
    less = [*asked[:3], *({**row, "text": "snow"} for row in asked[3:])]
    options = ("--save", "k.json", "--strategy", "lexical")
    write_set(pets.folder / "data" / "pets", queries=half, qrels=graded)
    retrieval(pets, *options)
    before = kept_by(pets)
    write_set(pets.folder / "data" / "pets", queries=less, qrels=graded)

    retrieval(pets, *options)

    after = kept_by(pets)
    assert before["ndcg@10"] == after["ndcg@10"] == 0.5
    assert before["intervals"] == after["intervals"]


@requirement("measure:command:regression")
@pytest.mark.parametrize("options", [("--json",), ()])
def test_a_gate_that_speaks_less_often_than_the_kept_one_fails(
    pets: Cli, options: tuple[str, ...]
) -> None:
    asked = ("bench", "gate", "--data", "data/pets", "--save", "k.json", *options)
    corpus = [{**row, "text": f"{row['text']} {row['id']}"} for row in PETS]
    full = [{"id": "q1", "text": "do cats purr in the sun?"}]
    write_set(pets.folder / "data" / "pets", corpus=corpus, queries=full, qrels=GRADED[:1])
    pets.ok(*asked)
    kept = kept_by(pets)
    write_set(pets.folder / "data" / "pets", corpus=corpus, queries=ASKED[1:], qrels=GRADED[1:])

    worse = pets(*asked)

    assert kept == {
        "injected_rate": 1.0,
        "precision@3": 1.0,
        "intervals": {"injected_rate": [1.0, 1.0], "precision@3": [1.0, 1.0]},
    }
    assert worse.exit_code == 9
    assert worse.err.endswith("worse: fts5_bm25 injected_rate is 0.000, below 1.000; it was 1.000\n")
    assert "injected" in worse.out
    assert kept_by(pets) == kept


def test_the_gate_of_the_set_that_comes_along_is_kept_under_its_name(bare: Cli) -> None:
    printed = bare.ok("bench", "gate", "--save", "k.json", "--json").json()

    row = kept_by(bare)
    assert json.loads((bare.folder / "k.json").read_text())["set"] == printed["set"] == "hand-made"
    assert row.pop("intervals") == printed["intervals"]
    assert row == {name: printed[name] for name in row}
    assert row.keys() == {"injected_rate", "precision@3", "false_inject_rate"}
    bare.ok("bench", "gate", "--save", "k.json")


@requirement("measure:command:regression")
def test_boosts_that_move_more_than_in_the_kept_run_fail(pets: Cli) -> None:
    asked = ("bench", "shadow", "--data", "data/pets", "--save", "k.json")
    pets.ok(*asked)
    kept = kept_by(pets)
    alike = [{"id": f"{n:02}", "text": "the tide is high"} for n in range(30)]
    tide = [{"id": "q", "text": "tide"}]
    graded = [{"query": "q", "doc": "00", "grade": 1}]
    write_set(pets.folder / "data" / "pets", corpus=alike, queries=tide, qrels=graded)

    worse = pets(*asked, "--json")

    assert kept == {
        "rank_correlation": 1.0,
        "mrr_ratio": 1.0,
        "intervals": {"rank_correlation": [1.0, 1.0], "mrr_ratio": [1.0, 1.0]},
    }
    assert worse.exit_code == 9
    assert "worse: fts5_bm25 rank_correlation is" in worse.err
    assert mismatches(worse.json(), SHAPES["bench shadow"]) == []
    assert kept_by(pets) == kept


@pytest.mark.parametrize("name", ["retrieval", "gate", "shadow"])
def test_a_folder_to_keep_a_result_in_is_called_one(pets: Cli, name: str) -> None:
    done = pets("bench", name, "--data", "data/pets", "--save", "data")

    assert done.exit_code == 5
    assert "'data' is a folder; name a file in it." in done.err


def test_what_one_measurement_kept_is_refused_by_another(pets: Cli) -> None:
    retrieval(pets, "--save", "k.json")

    done = pets("bench", "gate", "--data", "data/pets", "--save", "k.json")

    assert done.exit_code == 5
    assert "has the result of `bench retrieval`, not of `bench gate`; name another file." in done.err


def test_the_help_of_speed_says_why_it_keeps_nothing(bare: Cli) -> None:
    told = " ".join(bare.ok("bench", "speed", "--help").out.split())

    assert "There is no --save" in told
    assert bare("bench", "speed", "--save", "k.json").exit_code == 2
