"""What the page draws of a run: its timeline, its events in pages, and large outputs piece by piece."""

from pathlib import Path

import anyio
from starlette.testclient import TestClient
from tests.requirements import requirement
from tests.upstreams.servers import light_entry
from tests.web.conftest import opened

from recollect.app.gateway import Gateway, open_gateway
from recollect.app.local_runs import local_runs
from recollect.app.project import Recollect
from recollect.app.run_store import open_run_store
from recollect.cli.run_session import Terminal
from recollect.records.json_format import JsonObject
from recollect.web.page import WebPage

SERVER = """
@tool(read_only=True)
def lines(count: int) -> str:
    "Many lines."
    return "\\n".join(f"line {number}" for number in range(count))

@tool
def write(text: str) -> str:
    "Write."
    return "written"
"""
TASKS: tuple[JsonObject, ...] = (
    {"id": "small", "tool": "s:lines", "arguments": {"count": 2}},
    {"id": "large", "tool": "s:lines", "arguments": {"count": 20_000}, "needs": ["small"]},
    {"id": "write", "tool": "s:write", "arguments": {"text": "x"}, "needs": ["small"]},
    {"id": "each", "tool": "s:lines", "for_each": [1, 2], "arguments": {"count": "${item}"}},
)


def ran(gateway: Gateway, folder: Path) -> str:
    """A run that waits for an approval after everything else has ended."""
    gateway.add("s", light_entry(SERVER))
    gateway.refresh("s")

    async def drive() -> str:
        async with local_runs(gateway, folder, open_run_store(gateway, folder)) as runs:
            live = await runs.start({"intent": "read", "tasks": list(TASKS)}, "test")
            await runs.wait(live, 60, Terminal(False))
            return live.run

    return anyio.run(drive)


def read_to_end(browser: TestClient, handle: str) -> list[str]:
    texts, following = [], ""
    while True:
        query: dict[str, str | int] = {"tokens": 20_000, "range": following}
        piece = browser.get(f"/api/results/{handle}", params=query).json()
        texts.append(piece["text"])
        if piece["next"] is None:
            return texts
        following = piece["next"]


@requirement("page:views:runs")
@requirement("page:runs:critical-path")
def test_a_run_is_drawn_in_time_in_pages_and_in_pieces(
    project: Recollect, folder: Path, env: dict[str, str]
) -> None:
    run = ran(open_gateway(env), folder)
    with opened(WebPage(folder, env=env)) as browser:
        timeline = browser.get(f"/api/runs/{run[:8]}/timeline").json()
        kinds = {task["id"]: [span["kind"] for span in task["spans"]] for task in timeline["tasks"]}
        parents = {task["id"]: task.get("parent") for task in timeline["tasks"]}
        assert timeline["run"] == run
        assert timeline["path"] == ["small", "write"]
        assert timeline["path_milliseconds"]["approval"] > 0
        assert kinds["small"][-1] == "running"
        assert kinds["write"][-1] == "approval"
        assert (parents["each[0]"], parents["each"]) == ("each", None)
        assert [pause["reason"] for pause in timeline["pauses"]] == ["approval"]

        newest = browser.get(f"/api/runs/{run}/log", params={"limit": 3}).json()
        older = browser.get(f"/api/runs/{run}/log", params={"before": newest["before"]}).json()
        numbers = [event["number"] for event in (*newest["events"], *older["events"])]
        assert numbers == list(range(len(numbers), 0, -1))
        assert (older["before"], older["events"][-1]["name"]) == (None, "run_started")
        assert not all(event["at"].endswith(".000Z") for event in older["events"])
        assert all(len(event["details"]) <= 2_000 for event in older["events"])

        large = browser.get(f"/api/runs/{run}/tasks/large").json()
        pieces = read_to_end(browser, large["handle"])
        assert (large["cut"], large["expired"]) == (True, False)
        assert len(pieces) > 1
        assert "line 19999" in pieces[-1]


def test_what_there_is_not_is_said_with_its_code(browser: TestClient) -> None:
    answers = [
        browser.get("/api/runs/run-0/timeline"),
        browser.get("/api/runs/run-0/log"),
        browser.get("/api/runs/run-0/log", params={"limit": 0}),
        browser.get("/api/runs/run-0/log", params={"before": "x"}),
    ]

    assert [answer.status_code for answer in answers] == [404, 404, 400, 400]
