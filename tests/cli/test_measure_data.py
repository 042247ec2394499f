"""What `bench` makes of labelled sets that are not as they should be."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.bench.tiny import ASKED, GRADED, PETS, write_set
from tests.cli.running import Cli
from tests.cli.shapes import SHAPES, mismatches

MEASUREMENTS = ["retrieval", "gate", "shadow"]


@pytest.fixture
def pets(bare: Cli) -> Cli:
    """A folder without a memory root, with one set in it."""
    write_set(bare.folder / "data" / "pets")
    return bare


def cut_off(folder: Path) -> None:
    path = folder / "corpus.jsonl.gz"
    path.write_bytes(path.read_bytes()[:-10])


def no_object(folder: Path) -> None:
    (folder / "qrels.jsonl.gz").write_bytes(gzip.compress(b"[1]\n"))


def twice(folder: Path) -> None:
    write_set(folder, corpus=[*PETS, PETS[0]])


def graded_high(folder: Path) -> None:
    write_set(folder, qrels=[{**GRADED[0], "grade": "high"}])


@pytest.mark.parametrize("name", MEASUREMENTS)
@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (cut_off, "'data/pets/corpus.jsonl.gz' cannot be read"),
        (no_object, "'data/pets/qrels.jsonl.gz', line 1 is [1], not an object; correct the line."),
        (twice, "'data/pets/corpus.jsonl.gz', line 4: the id 'cats' is also that of line 1;"),
        (graded_high, "'data/pets/qrels.jsonl.gz', line 1: 'grade' is 'high'; make it a grade"),
    ],
)
def test_a_set_that_is_wrong_is_refused_with_the_place(
    pets: Cli, name: str, spoil: Callable[[Path], None], said: str
) -> None:
    spoil(pets.folder / "data" / "pets")

    done = pets("bench", name, "--data", "data/pets")

    assert done.exit_code == 5
    assert said in done.err


@pytest.mark.parametrize("name", MEASUREMENTS)
def test_labels_of_what_is_not_there_are_told_of_beside_the_output(pets: Cli, name: str) -> None:
    labels = [*GRADED, {"query": "q1", "doc": "gone", "grade": 1}]
    write_set(pets.folder / "data" / "pets", qrels=labels)

    done = pets.ok("bench", name, "--data", "data/pets", "--json")

    assert "1 of 3 lines name a query or a document that the set does not have" in done.err
    assert mismatches(done.json(), SHAPES[f"bench {name}"]) == []


@pytest.mark.parametrize("name", MEASUREMENTS)
def test_a_set_with_no_label_left_is_refused(pets: Cli, name: str) -> None:
    write_set(pets.folder / "data" / "pets", qrels=[{"query": "q1", "doc": "gone", "grade": 1}])

    done = pets("bench", name, "--data", "data/pets")

    assert done.exit_code == 5
    assert "1 of 1 lines name a query or a document that the set does not have" in done.err
    assert "'pets' has no labelled query" in done.err


def test_a_broken_set_beside_the_one_that_is_measured_is_left_out_with_a_note(pets: Cli) -> None:
    write_set(pets.folder / "data" / "soups", queries=[{"id": "s", "text": "leek and potato"}])
    cut_off(write_set(pets.folder / "data" / "cars"))

    done = pets.ok("bench", "gate", "--data", "data/pets", "--json")

    assert done.json()["unrelated"] == 1
    assert "not used as unrelated prompts: " in done.err
    assert "cars/corpus.jsonl.gz' cannot be read" in done.err


def test_a_rate_of_nothing_is_a_dash_for_people_and_null_for_machines(pets: Cli) -> None:
    write_set(pets.folder / "data" / "pets", queries=ASKED[1:], qrels=GRADED[1:])

    found = pets.ok("bench", "gate", "--data", "data/pets", "--json").json()
    lines = pets.ok("bench", "gate", "--data", "data/pets").out.splitlines()

    assert (found["answerable"], found["unrelated"], found["injected_rate"]) == (1, 0, 0.0)
    assert found["precision@3"] is found["relevant_share"] is found["false_inject_rate"] is None
    assert found["intervals"] == {"injected_rate": [0.0, 0.0]}
    assert lines[2].split() == ["0.05", "0.000", "-", "-", "-"]
    assert mismatches(found, SHAPES["bench gate"]) == []
