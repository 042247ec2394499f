"""What every store of receipts of speculation does."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conformance.engines import OpenGateway
from tests.requirements import requirement

from recollect.gateway.ports import Speculations
from recollect.gateway.retention import MAX_DAYS
from recollect.gateway.speculation_use import SpeculationUse, total

MakeSpeculations = Callable[[Path], Speculations]


@pytest.fixture
def make(open_gateway: OpenGateway) -> MakeSpeculations:
    return lambda folder: open_gateway(folder).speculations


@requirement("workflow:speculation:measured")
def test_what_calls_ahead_saved_is_summed_by_tool_from_a_day_on(
    make: MakeSpeculations, tmp_path: Path
) -> None:
    speculations = make(tmp_path)
    speculations.record(SpeculationUse("s", "b", predicted=1), "2026-01-01")
    speculations.record(SpeculationUse("s", "a", predicted=4), "2026-01-02")
    speculations.record(SpeculationUse("s", "a", 0, 1, 1, 1, 40.5, 0, 0.01, 0), "2026-01-02")
    speculations.record(SpeculationUse("s", "a", 0, 1, 0, 0, 0, 9.5, 0.01, 0.01), "2026-01-03")

    [use] = make(tmp_path).uses("2026-01-02")

    assert use == SpeculationUse("s", "a", 4, 2, 1, 1, 40.5, 9.5, 0.02, 0.01)
    assert (use.acceptance, use.success, use.hit_rate, use.waste) == (0.5, 0.5, 0.5, 0.5)
    assert [each.tool for each in make(tmp_path).uses()] == ["a", "b"]
    assert total(make(tmp_path).uses()).predicted == 5


def test_nothing_has_no_shares() -> None:
    nothing = total([])

    assert (nothing.acceptance, nothing.success, nothing.hit_rate, nothing.waste) == (0, 0, 0, 0)


def test_old_days_make_room(make: MakeSpeculations, tmp_path: Path) -> None:
    speculations = make(tmp_path)
    for number in range(MAX_DAYS + 1):
        speculations.record(SpeculationUse("s", f"t{number}", predicted=1), f"2026-{number:05}")

    assert len(speculations.uses()) == MAX_DAYS
    assert "t0" not in {use.tool for use in speculations.uses()}
