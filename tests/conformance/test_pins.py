"""What every store of pins does."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.conformance.engines import OpenGateway
from tests.gateway.tools import tool

from recollect.gateway.entry import digest_of
from recollect.gateway.pins import Pin
from recollect.gateway.ports import Pins
from recollect.gateway.tool import EffectHints

FIRST, SECOND = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"
OLD, NEW = tool("s:a", "Old.", x="y"), tool("s:a", "New.")

MakePins = Callable[[Path], Pins]


@pytest.fixture
def make(open_gateway: OpenGateway) -> MakePins:
    return lambda folder: open_gateway(folder).pins


def test_a_tool_is_pinned_at_first_use_and_stays_so_for_the_next_process(
    make: MakePins, tmp_path: Path
) -> None:
    full = replace(OLD, title="T", hints=EffectHints(read_only=True), output_schema={"type": "object"})
    make(tmp_path).first_use("s", [full, tool("s:\ud800")], "o", FIRST)
    make(tmp_path).first_use("s", [NEW, tool("s:b")], "o", SECOND)

    pins = make(tmp_path).all()

    assert pins["s:a"] == Pin(full, FIRST)
    assert pins["s:b"] == Pin(tool("s:b"), SECOND)
    assert "s:\ud800" in pins


def test_an_accepted_version_replaces_the_pin_and_what_was_rejected(
    make: MakePins, tmp_path: Path
) -> None:
    pins = make(tmp_path)
    pins.first_use("s", [OLD], "o", FIRST)
    pins.reject(NEW)
    assert pins.all()["s:a"] == Pin(OLD, FIRST, "", digest_of(NEW))

    pins.accept(NEW, SECOND, "me@example.com")

    assert pins.all() == {"s:a": Pin(NEW, SECOND, "me@example.com")}


def test_one_pin_is_found_by_server_and_name_and_acceptance_is_dated(
    make: MakePins, tmp_path: Path
) -> None:
    pins = make(tmp_path)
    assert (pins.get("s", "a"), pins.newest()) == (None, "")

    pins.first_use("s", [OLD, tool("s:b")], "o", FIRST)
    pins.accept(NEW, SECOND, "me")

    assert pins.get("s", "a") == Pin(NEW, SECOND, "me")
    assert pins.get("other", "a") is None
    assert pins.newest() == SECOND


def test_rejecting_what_was_never_pinned_is_no_error(make: MakePins, tmp_path: Path) -> None:
    pins = make(tmp_path)

    pins.reject(NEW)

    assert pins.all() == {}


def test_a_server_under_a_new_name_keeps_its_pins(make: MakePins, tmp_path: Path) -> None:
    pins = make(tmp_path)
    pins.first_use("s", [OLD], "same program", FIRST)
    pins.reject(NEW)

    pins.first_use("renamed", [replace(NEW, server="renamed")], "same program", SECOND)
    pins.first_use("other", [replace(NEW, server="other")], "another program", SECOND)

    assert pins.all()["renamed:a"] == Pin(replace(OLD, server="renamed"), FIRST, "", digest_of(NEW))
    assert pins.all()["other:a"] == Pin(replace(NEW, server="other"), SECOND)


def test_a_server_whose_program_changes_keeps_its_pins(make: MakePins, tmp_path: Path) -> None:
    pins = make(tmp_path)
    pins.first_use("s", [OLD], "version 1", FIRST)

    pins.first_use("s", [NEW], "version 2", SECOND)
    pins.first_use("renamed", [replace(NEW, server="renamed")], "version 2", SECOND)

    assert pins.all()["s:a"].tool == OLD
    assert pins.all()["renamed:a"].tool == replace(OLD, server="renamed")
