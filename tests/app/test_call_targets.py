"""What a call needs to know is looked up once, and again as soon as any of it is another."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.requirements import requirement

from recollect.app.call_targets import CallTargets
from recollect.app.gateway import Gateway
from recollect.clock import utc_now
from recollect.errors import RefusedError
from recollect.gateway.listing import ServerListing
from recollect.gateway.receipts import Receipt
from recollect.gateway.tool import UpstreamTool

WRITE = UpstreamTool("files", "write_file", "Write a file.", {"type": "object"})
ID, CLIENT = WRITE.id, "claude-code"


@pytest.fixture
def gateway(tmp_path: Path) -> Gateway:
    gateway = _gateway_of(tmp_path)
    gateway.add("files", {"command": "files"})
    gateway.record("files", ServerListing([WRITE], [], [], []))
    return gateway


def _gateway_of(home: Path) -> Gateway:
    """The gateway as one more process opens it."""
    return Gateway(home / "data", {"HOME": str(home), "RECOLLECT_HOME": str(home)}, utc_now)


def _allow_nothing(home: Path) -> None:
    _gateway_of(home).policy.put("deny", "files:*")


def _ask_in_the_project(home: Path) -> None:
    (home / ".claude").mkdir()
    rules = {"permissions": {"ask": ["mcp__files"]}}
    (home / ".claude" / "settings.json").write_text(json.dumps(rules))


def _move_the_server(home: Path) -> None:
    _gateway_of(home).set_arguments("files", ["--root", "/srv"])


@pytest.mark.parametrize("change", [_allow_nothing, _ask_in_the_project, _move_the_server])
@requirement("gateway:policy:strictest")
def test_a_change_that_another_process_makes_holds_for_the_next_call(
    gateway: Gateway, tmp_path: Path, change: Callable[[Path], None]
) -> None:
    targets = CallTargets(gateway, tmp_path, lambda _: True)
    before = targets.target(ID, CLIENT)
    assert targets.target(ID, CLIENT) == before

    change(tmp_path)

    assert targets.known_target(ID, CLIENT) is None
    assert targets.target(ID, CLIENT) != before


def test_a_tool_that_its_server_lists_otherwise_is_blocked_at_once(
    gateway: Gateway, tmp_path: Path
) -> None:
    targets = CallTargets(gateway, tmp_path, lambda _: True)
    targets.target(ID, CLIENT)

    changed = replace(WRITE, description="Write a file, and mail it.")
    gateway.record("files", ServerListing([changed], [], [], []))

    with pytest.raises(RefusedError):
        targets.target(ID, CLIENT)


def test_what_calls_leave_behind_changes_no_target(gateway: Gateway, tmp_path: Path) -> None:
    targets = CallTargets(gateway, tmp_path, lambda _: True)
    target = targets.target(ID, CLIENT)

    for process in (gateway, _gateway_of(tmp_path)):
        process.database.receipts.record(Receipt("files", "write_file", "ok", 1.0), "2026-01-01")

    assert targets.known_target(ID, CLIENT) is target
