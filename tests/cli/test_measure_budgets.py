"""What `bench` says and how it ends when a budget is missed."""

import itertools
import time

import pytest
from tests.cli.running import Cli
from tests.cli.shapes import SHAPES, mismatches
from tests.requirements import requirement

from recollect.bench.hook import BUDGETS

SPEED = ("bench", "speed", "--memories", "100", "--large", "100")
HOOK = ("bench", "hook", "--size", "5", "--rounds", "3")


def ticking(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """A stopwatch on which everything takes this long."""
    looks = itertools.count()
    monkeypatch.setattr(time, "perf_counter", lambda: next(looks) * seconds)


@requirement("measure:command:budgets")
def test_speed_names_each_budget_that_is_missed_and_fails(
    bare: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticking(monkeypatch, 1.0)

    told, printed = bare(*SPEED), bare(*SPEED, "--json")

    assert (told.exit_code, printed.exit_code) == (9, 9)
    assert "missed" in told.out
    assert "missed: search by words, 100: 1000.0 ms of 20" in told.err
    assert "missed: open the index of 100: 1000.0 ms of 10" in printed.err
    assert mismatches(printed.json(), SHAPES["bench speed"]) == []
    assert not any(row["kept"] for row in printed.json()["results"])


@requirement("measure:command:budgets")
def test_speed_that_keeps_every_budget_is_fine(bare: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    ticking(monkeypatch, 0.001)

    done = bare.ok(*SPEED)

    assert "kept" in done.out
    assert "missed" not in done.out + done.err


@requirement("measure:command:budgets")
def test_a_hook_that_takes_longer_than_its_budget_fails(
    bare: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(BUDGETS, 5, 0.001)

    told, printed = bare(*HOOK), bare(*HOOK, "--json")

    assert (told.exit_code, printed.exit_code) == (9, 9)
    assert "missed" in told.out
    assert "missed: 5 memories:" in printed.err
    assert mismatches(printed.json(), SHAPES["bench hook"]) == []


def test_a_hook_within_its_budget_or_without_one_is_fine(
    bare: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "missed" not in bare.ok(*HOOK).out
    monkeypatch.setitem(BUDGETS, 5, 1000.0)
    assert "kept" in bare.ok(*HOOK).out
