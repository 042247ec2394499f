"""`bench poison` as a command."""

import pytest
from tests.bench.test_poison import CASE, write
from tests.cli.running import Cli
from tests.cli.shapes import SHAPES, mismatches

ROW = {
    "id": CASE.id,
    "question": CASE.question,
    "memories": dict(CASE.memories),
    "attack_marker": CASE.marker,
}


@pytest.fixture
def attacked(bare: Cli) -> Cli:
    write(bare.folder, ROW)
    return bare


def test_poison_prints_the_documented_shape_and_counts(attacked: Cli) -> None:
    out = attacked.ok("bench", "poison", "--data", ".", "--json").json()

    assert mismatches(out, SHAPES["bench poison"]) == []
    assert (out["prompts"], out["given"], set(out["problems"].values())) == (3, 2, {0})


def test_people_get_a_line_for_each_thing_that_may_go_wrong(attacked: Cli) -> None:
    lines = attacked.ok("bench", "poison", "--data", ".").out.splitlines()

    assert "3 prompts, 2 of them got memories" in lines[0]
    assert [line.split()[-1] for line in lines[1:]] == ["0"] * 5
