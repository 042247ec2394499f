"""What discovery knows from use."""

import time
from pathlib import Path

import mcp_types as types
import pytest
from tests.gateway.tools import CATALOGUE
from tests.requirements import requirement

from recollect.app.call_log import CallLog
from recollect.app.gateway import Gateway
from recollect.app.opening import init_project
from recollect.app.tool_experience import tool_experience
from recollect.app.tool_search import ToolSearch
from recollect.clock import to_text, utc_now
from recollect.gateway.receipts import Receipt
from recollect.storage.sqlite.state import StateDatabase


@pytest.fixture
def gateway(tmp_path: Path) -> Gateway:
    return Gateway(tmp_path / "data", {"HOME": str(tmp_path), "RECOLLECT_HOME": str(tmp_path)}, utc_now)


@requirement("gateway:discovery:tool-graph")
def test_what_was_often_called_next_is_found_without_being_named(
    gateway: Gateway, tmp_path: Path
) -> None:
    """The step nobody names: packages are installed between a clone and a deployment."""
    folder = tmp_path / "shop"
    folder.mkdir()
    recollect, _ = init_project(folder, env=gateway.env)
    state = StateDatabase(str(recollect.prepare_state_folder() / "state.db"))
    search, text = ToolSearch(CATALOGUE), "publish a build on the hosting service"

    def found() -> list[str]:
        experience = tool_experience(gateway, folder, ["git:git_clone"])
        return [hit.tool.id for hit in search.find(text, experience, 3).hits]

    assert "npm:npm_install" not in found()
    for _ in range(30):
        state.tool_graph.observe("git:git_clone", "npm:npm_install", "2026-01-01T00:00:00Z")
    state.close()

    assert "npm:npm_install" in found()


@requirement("learning:graph:parallel")
def test_calls_at_the_same_time_leave_no_edge_between_them(gateway: Gateway, tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    recollect, _ = init_project(folder, env=gateway.env)
    log, result = CallLog(gateway, folder), types.CallToolResult(content=[])
    start, left, right, end = CATALOGUE[:4]
    log.record_success(start, result, "run 1", time.monotonic())
    together = time.monotonic()
    while time.monotonic() == together:
        pass
    for tool in (left, right):
        log.record_success(tool, result, "run 1", together)
    log.record_success(end, result, "run 1", time.monotonic())
    log.write()

    state = StateDatabase(str(recollect.state_folder / "state.db"))
    edges = {(edge.source, edge.target) for edge in state.tool_graph.edges()}
    assert edges == {(start.id, left.id), (start.id, right.id), (right.id, end.id)}
    assert state.sequences.latest(9, 9) == [[start.id, left.id], [right.id, end.id]]
    state.close()


def test_reliability_comes_from_the_receipts_of_the_last_month(
    gateway: Gateway, tmp_path: Path
) -> None:
    today = to_text(gateway.now())[:10]
    for _ in range(20):
        gateway.database.receipts.record(Receipt("s", "bad", "tool_error", 1), today)
        gateway.database.receipts.record(Receipt("s", "mended", "tool_error", 1), "2020-01-01")

    rates = tool_experience(gateway, tmp_path).reliability

    assert set(rates) == {"s:bad"}
    assert rates["s:bad"] == pytest.approx(0.2)


def test_without_a_project_and_without_calls_nothing_is_known(gateway: Gateway, tmp_path: Path) -> None:
    experience = tool_experience(gateway, tmp_path, ["a:b"])

    assert experience.graph.neighbours == {}
    assert experience.reliability == {}
    assert not list(tmp_path.rglob("state.db"))


def test_a_project_whose_settings_cannot_be_read_costs_the_graph_and_not_the_search(
    gateway: Gateway, tmp_path: Path
) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    recollect, _ = init_project(folder, env=gateway.env)
    (recollect.root / "memory-config.json").write_text("{")

    assert tool_experience(gateway, folder, ["a:b"]).graph.neighbours == {}
