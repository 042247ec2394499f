"""What every store of projections does."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conformance.engines import OpenGateway
from tests.requirements import requirement

from recollect.gateway.ports import Projections
from recollect.gateway.vault.projection import FieldReads, Projection

MakeProjections = Callable[[Path], Projections]
AT = "2026-01-01T00:00:00Z"


@pytest.fixture
def make(open_gateway: OpenGateway) -> MakeProjections:
    return lambda folder: open_gateway(folder).projections


@requirement("gateway:vault:projections")
def test_a_field_counts_once_for_each_result(make: MakeProjections, tmp_path: Path) -> None:
    projections = make(tmp_path)
    for result in ("one", "two", "one", "two", "one"):
        projections.read("s", "t", "items[*].id", result)
    projections.read("s", "t", "total", "one")

    assert make(tmp_path).reads() == [
        FieldReads("s", "t", "items[*].id", 2),
        FieldReads("s", "t", "total", 1),
    ]


def test_what_is_remembered_of_a_tool_is_bounded(make: MakeProjections, tmp_path: Path) -> None:
    projections = make(tmp_path)
    projections.read("s", "other", "x", "one")
    for number in range(700):
        projections.read("s", "t", f"field{number}", "one")
    for number in range(50):
        projections.read("s", "t", "field699", f"result {number}")

    reads = projections.reads()

    assert len([read for read in reads if read.tool == "t"]) <= 500
    assert reads[0] == FieldReads("s", "other", "x", 1)
    assert [read.results for read in reads if read.field == "field699"] == [3]


def test_a_tool_has_one_projection_the_last(make: MakeProjections, tmp_path: Path) -> None:
    projections = make(tmp_path)
    projections.accept(Projection("s", "t", ("b", "a")), AT)
    projections.accept(Projection("s", "t", ("a",)), AT)
    projections.accept(Projection("r", "t", ("c",)), AT)

    assert make(tmp_path).accepted() == [Projection("r", "t", ("c",)), Projection("s", "t", ("a",))]
    assert projections.fields("s", "t") == ("a",)
    assert projections.fields("s", "u") == ()


def test_removing_one_forgets_what_was_read_too(make: MakeProjections, tmp_path: Path) -> None:
    projections = make(tmp_path)
    projections.read("s", "t", "a", "one")
    projections.accept(Projection("s", "t", ("a",)), AT)

    assert projections.remove("s", "t")
    assert not projections.remove("s", "t")
    assert not projections.accepted()
    assert not projections.reads()
