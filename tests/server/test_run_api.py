"""Runs over HTTP: what an agent's token may do, and what only a person may alone."""

import gc
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from sse_starlette.sse import AppStatus
from tests.requirements import requirement
from tests.server.running import WAIT
from tests.upstreams.servers import CALCULATOR, light_entry

from recollect.app.gateway import Gateway
from recollect.app.project import Recollect
from recollect.app.run_events import PAGE
from recollect.app.run_store import open_run_store
from recollect.app.runs import Runs
from recollect.app.worker import ProjectWorker
from recollect.clock import utc_now
from recollect.gateway.exposure import Exposure
from recollect.loopback.listening import HttpTransport
from recollect.records.json_format import JsonObject
from recollect.server.gateway_tools import GatewayTools
from recollect.server.http import HttpLimits, HttpService, make_app
from recollect.workflow import events

pytestmark = pytest.mark.anyio
AGENT, PERSON = "an-agent-s-token", "a-person-s-token"
ADD: JsonObject = {"id": "sum", "tool": "talk:add", "arguments": {"a": 2, "b": 3}}
DELETE: JsonObject = {"id": "delete", "tool": "talk:delete_file", "arguments": {"path": "x"}}


@dataclass(frozen=True, slots=True)
class Page:
    """The API as a page sees it, and the runs behind it."""

    url: str
    runs: Runs
    web: httpx2.AsyncClient

    async def get(self, path: str, token: str = AGENT, **headers: str) -> httpx2.Response:
        return await self.web.get(self.url + path, headers=_held(token) | headers)

    async def post(self, path: str, body: object, token: str = AGENT) -> httpx2.Response:
        return await self.web.post(self.url + path, json=body, headers=_held(token))

    async def command(self, run: str, name: str, token: str, **arguments: Any) -> httpx2.Response:
        return await self.post(f"runs/{run}/commands", {"name": name, "arguments": arguments}, token)


def _held(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"} if token else {}


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Gateway:
    gateway = Gateway(tmp_path_factory.mktemp("data"), {}, utc_now)
    gateway.add("talk", light_entry(CALCULATOR))
    gateway.refresh("talk")
    return gateway


@asynccontextmanager
async def paged(
    gateway: Gateway, project: Recollect, folder: Path, person: str = PERSON
) -> AsyncIterator[Page]:
    """The HTTP server in this process."""
    AppStatus.should_exit = False  # the end of an earlier server in this process would end our streams
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    port = int(listener.getsockname()[1])
    worker = ProjectWorker(lambda: project)
    tools, limits = GatewayTools(gateway, folder, Exposure(), worker), HttpLimits(sessions=1)
    served = HttpService(worker, tools, runs=tools.open_runs, person_token=person)
    transport = HttpTransport(
        make_app(served, port, AGENT, limits), listener, lambda: None, limits.request_seconds
    )
    listener.listen()
    async with anyio.create_task_group() as tasks, httpx2.AsyncClient(timeout=WAIT) as web:
        await tools.start(tasks)
        tasks.start_soon(transport.serve)
        try:
            yield Page(f"http://127.0.0.1:{port}/api/", await tools.open_runs(), web)
        finally:
            with anyio.CancelScope(shield=True):
                await transport.stop()
                await tools.stop()
            tasks.cancel_scope.cancel()


async def paused(page: Page) -> str:
    """A run that waits for an approval."""
    live = await page.runs.start({"tasks": [ADD, DELETE], "intent": "tidy"})
    await live.driver.rest()
    return live.run


def streamed(text: str) -> list[dict[str, Any]]:
    """The events of a stream; each has its number as its id, and its name."""
    rows = []
    for block in text.split("\n\n")[:-1]:
        id, name, data = block.split("\n")
        row = json.loads(data.removeprefix("data: "))
        assert (id, name) == (f"id: {row['number']}", f"event: {row['name']}")
        rows.append(row)
    return rows


@requirement("workflow:api:person")
async def test_a_person_approves_what_they_read_and_an_agent_cannot(
    gateway: Gateway, project: Recollect, folder: Path
) -> None:
    async with paged(gateway, project, folder) as page:
        run = await paused(page)
        shown = (await page.get(f"runs/{run}")).json()
        [waiting] = (await page.get(f"runs/{run}/approvals")).json()["approvals"]
        call = {"task": "delete", "approval": waiting["approval"]}

        forged = await page.command(run, "approve", AGENT, **call)
        settled = await page.command(run, "answer", AGENT, task="delete", output=1)
        other = await page.command(run, "approve", PERSON, task="delete", approval="0" * 16)
        approved = await page.command(run, "approve", PERSON, **call)
        live = page.runs
        async with page.web.stream(
            "GET", f"{page.url}runs/{run}/events", headers=_held(AGENT)
        ) as stream:
            rows = streamed("".join([text async for text in stream.aiter_text()]))
        again = await page.command(run, "approve", PERSON, **call)
        replayed = await page.get(f"runs/{run}/events", **{"Last-Event-ID": "5"})
        later = await page.get(f"runs/{run}/events?after={rows[-1]['number'] - 1}")
        listed = (await page.get("runs")).json()["runs"]
        state = await live.look(run)

    assert shown["paused"]["reason"] == "approval"
    assert "Call delete_file of the server talk? It may change things." in waiting["summary"]
    assert (waiting["arguments"], waiting["tool"]) == ({"path": "x"}, "talk:delete_file")
    assert [each.status_code for each in (forged, settled, other)] == [409, 409, 409]
    assert "only a person may" in forged.json()["reason"]
    assert "not for this call" in other.json()["reason"]
    assert approved.json()["status"] == "applied"
    assert again.status_code == 409
    assert state.status == "succeeded"
    assert [row["number"] for row in rows] == list(range(1, len(rows) + 1))
    assert [row["number"] for row in streamed(replayed.text)] == list(range(6, len(rows) + 1))
    assert [row["name"] for row in streamed(later.text)] == ["run_finished"]
    assert [(row["id"], row["status"]) for row in listed] == [(run, "succeeded")]
    refused = [row["fields"] for row in rows if row["name"] == "command_refused"]
    assert [each["by"] for each in refused] == ["agent, HTTP", "agent, HTTP", "person, HTTP"]


@requirement("workflow:api:person")
async def test_only_tokens_open_the_api_and_a_person_s_opens_nothing_else(
    gateway: Gateway, project: Recollect, folder: Path
) -> None:
    grant = {"tool": "talk:delete_file", "arguments": {"path": "x"}, "uses": 1, "minutes": 5}
    async with paged(gateway, project, folder) as page:
        run = await paused(page)
        assert (await page.get("runs", "")).status_code == 401
        assert (await page.get("runs", "wrong")).status_code == 401
        assert (await page.get("../mcp", PERSON)).status_code == 401
        assert (await page.get("runs", Host="evil.example")).status_code == 421
        assert (await page.get("runs", Origin="http://evil.example")).status_code == 403
        assert (await page.get("runs/run-none")).status_code == 404
        assert (await page.get(f"runs/{run}/events?after=x")).status_code == 400
        assert (await page.post(f"runs/{run}/commands", [])).status_code == 400
        assert (await page.command(run, "explode", AGENT)).status_code == 400
        assert (await page.post("grants", grant)).status_code == 403
        assert (await page.post("grants", grant | {"uses": 0}, PERSON)).status_code == 409
        assert (await page.post("grants", grant | {"uses": "1"}, PERSON)).status_code == 400
        assert (await page.post("grants", grant, PERSON)).json()["status"] == "applied"
        covered = await page.runs.start({"tasks": [DELETE]})
        await covered.driver.rest()
        assert covered.state.status == "succeeded"
        async with page.web.stream("GET", f"{page.url}runs/{run}/events", headers=_held(AGENT)):
            assert (await page.get(f"runs/{run}/events")).status_code == 503
    async with paged(gateway, project, folder, person="") as page:
        assert (await page.get("runs", PERSON)).status_code == 401


def deaf(page: Page, run: str) -> socket.socket:
    """A client that asks for the events of a run and never reads."""
    port = int(page.url.split(":")[2].split("/")[0])
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    client.connect(("127.0.0.1", port))
    head = f"GET /api/runs/{run}/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
    client.sendall(f"{head}Authorization: Bearer {AGENT}\r\n\r\n".encode())
    return client


@requirement("workflow:events:slow-listener")
async def test_a_client_that_never_reads_its_events_delays_no_command_and_fills_no_memory(
    gateway: Gateway, project: Recollect, folder: Path
) -> None:
    text, commands = "word " * 2_000, 3 * PAGE
    async with paged(gateway, project, folder) as page:
        run = await paused(page)
        with deaf(page, run):
            for _ in range(commands):
                await page.runs.command(run, "answer", {"text": text}, "test")
            await (await page.runs.resume(run)).driver.rest()  # everything is written
            gc.collect()
            alive = sum(isinstance(each, events.JournalEntry) for each in gc.get_objects())
            await page.runs.command(run, "abort", {}, "test")
        with anyio.fail_after(WAIT):  # the listener that hung up makes room for another
            while (response := await page.get(f"runs/{run}/events")).status_code == 503:
                await anyio.lowlevel.checkpoint()

    rows = streamed(response.text)
    assert [row["number"] for row in rows] == list(range(1, len(rows) + 1))
    assert sum(row["name"] == "message_added" for row in rows) == commands
    assert alive <= 2 * PAGE + 2 < len(rows) / 2  # a page, and the next while it is read


@requirement("workflow:commands:queue")
async def test_a_command_for_a_run_of_another_process_goes_through_the_queue(
    gateway: Gateway, project: Recollect, folder: Path
) -> None:
    async with paged(gateway, project, folder) as owner, paged(gateway, project, folder) as page:
        run = await paused(owner)

        skipped = await page.command(run, "skip", AGENT, task="delete")
        refused = await page.command(run, "skip", AGENT, task="none")

    assert (skipped.status_code, skipped.json()["status"]) == (200, "applied")
    assert refused.status_code == 409
    happened = open_run_store(gateway, folder).entries(run)
    assert any(isinstance(entry.event, events.CommandApplied) for entry in happened)
