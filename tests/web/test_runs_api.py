"""Runs on the page: a person reads what waits, decides, and the run goes on in this process."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from starlette.testclient import TestClient
from tests.requirements import requirement
from tests.upstreams.servers import CALCULATOR, light_entry
from tests.web.conftest import CHANGE, opened

from recollect.app.gateway import Gateway, open_gateway
from recollect.app.local_runs import local_runs
from recollect.app.run_store import open_run_store
from recollect.records.json_format import JsonObject
from recollect.web.page import WebPage

ADD: JsonObject = {"id": "sum", "tool": "talk:add", "arguments": {"a": 2, "b": 3}}
MARKUP = "<img src=x onerror=alert(1)>"
DELETE: JsonObject = {
    "id": "delete",
    "tool": "talk:delete_file",
    "arguments": {"path": MARKUP},
    "after": ["sum"],
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    folder = tmp_path_factory.mktemp("project")
    (folder / ".claude" / "memory").mkdir(parents=True)
    return folder, {"HOME": str(tmp_path_factory.mktemp("home")), "PATH": "/usr/bin:/bin"}


@pytest.fixture(scope="module")
def gateway(place: tuple[Path, dict[str, str]]) -> Gateway:
    gateway = open_gateway(place[1])
    gateway.add("talk", light_entry(CALCULATOR))
    gateway.refresh("talk")
    return gateway


@pytest.fixture
def run(place: tuple[Path, dict[str, str]], gateway: Gateway) -> str:
    """A run that waits for an approval, and whose process has ended."""
    folder, _ = place

    async def start() -> str:
        async with local_runs(gateway, folder, open_run_store(gateway, folder)) as runs:
            live = await runs.start({"tasks": [ADD, DELETE], "intent": "tidy"})
            await live.driver.rest()
            return live.run

    return anyio.run(start)


@pytest.fixture
def page(place: tuple[Path, dict[str, str]]) -> Iterator[TestClient]:
    folder, env = place
    with opened(WebPage(folder, env=env)) as browser:
        yield browser


def command(browser: TestClient, run: str, name: str, **arguments: Any) -> Any:
    body = {"name": name, "arguments": arguments}
    return browser.post(f"/api/runs/{run}/commands", json=body, headers=CHANGE)


@requirement("page:runs:approve")
def test_a_person_approves_what_they_read_and_the_run_goes_on(run: str, page: TestClient) -> None:
    shown = page.get(f"/api/runs/{run}").json()
    graph = page.get(f"/api/runs/{run}/graph").json()["tasks"]
    [waiting] = page.get(f"/api/runs/{run}/approvals").json()["approvals"]
    attention = page.get("/api/attention").json()["items"]
    stale = command(page, run, "approve", task="delete", approval="0" * 16)
    approved = command(page, run, "approve", task="delete", approval=waiting["approval"])
    stream = page.get(f"/api/runs/{run}/events").text  # it ends with the run
    inputs = page.get(f"/api/runs/{run}/tasks/delete")
    task = inputs.json()

    assert shown["paused"]["reason"] == "approval"
    assert [(row["id"], row["needs"]) for row in graph] == [("sum", []), ("delete", ["sum"])]
    assert [row["kind"] for row in attention] == ["runs"]
    assert stale.status_code == 409
    assert stale.json()["error"] == stale.json()["reason"]
    assert (approved.status_code, approved.json()["status"]) == (200, "applied")
    assert "event: run_finished" in stream
    assert '"by": "person, HTTP"' in stream
    assert task["status"] == "succeeded"
    assert task["arguments"] == DELETE["arguments"]
    assert inputs.headers["content-type"] == "application/json"
    assert MARKUP in json.dumps(task["output"])


@requirement("page:local:person")
def test_on_the_page_of_an_agent_a_run_waits_for_a_person(
    run: str, place: tuple[Path, dict[str, str]]
) -> None:
    folder, env = place
    with opened(WebPage(folder, "an agent started it", env)) as browser:
        [waiting] = browser.get(f"/api/runs/{run}/approvals").json()["approvals"]
        refused = command(browser, run, "approve", task="delete", approval=waiting["approval"])
        aborted = command(browser, run, "abort")
        ended = command(browser, run, "pause")

    assert refused.status_code == 409
    assert "only a person may" in refused.json()["error"]
    assert aborted.json()["status"] == "applied"
    assert ended.status_code == 409


def test_reading_runs_loads_no_client_of_mcp() -> None:
    """It takes a second to load, and most pages only look."""

    script = "import sys, recollect.web.serving; print(sorted({'mcp', 'mcp_types'} & set(sys.modules)))"

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"
