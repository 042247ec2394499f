"""Tools that a catalogue gains while a server of ours runs, and a model that takes its time over them."""

import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import numpy as np
import pytest
from tests.gateway.tools import CATALOGUE, tool
from tests.requirements import requirement
from tests.tools.some_tools import CALLER, text_of
from tests.upstreams.raw_client import SERVER

from recollect.app.dispatch import Dispatcher
from recollect.app.gateway import Gateway
from recollect.app.tool_search import ToolSearch
from recollect.clock import utc_now
from recollect.errors import ModelError
from recollect.gateway.discovery import Discovery
from recollect.gateway.exposure import Exposure
from recollect.gateway.listing import ServerListing
from recollect.storage.models.embedder import Embedder, Floats

pytestmark = pytest.mark.anyio

SECONDS = 30  # longer than any wait of a test that passes
FILES = tuple(known for known in CATALOGUE if known.server == "files")
ADDED = tuple(
    tool(f"small:report_{number}", f"Write the report number {number}.") for number in range(200)
)
PID = tool("small:pid", "The number of the process.")


class BlockedEmbedder:
    """An embedder that waits at every passage, and at every query, until it is released."""

    version = "blocked@1"

    def __init__(self) -> None:
        self.released, self.is_waiting = threading.Event(), threading.Event()
        self.query_released, self.is_reading = threading.Event(), threading.Event()

    def query(self, text: str) -> Floats:
        self.is_reading.set()
        assert self.query_released.wait(SECONDS)
        return np.ones(1, dtype=np.float32)

    def passages(self, texts: Sequence[str]) -> Iterator[Floats]:
        for _ in texts:
            self.is_waiting.set()
            assert self.released.wait(SECONDS)
            yield np.ones(1, dtype=np.float32)


def broken() -> Embedder:
    raise ModelError("broken", "it is damaged", "install it again")


class GatewayWithModel(Gateway):
    """A gateway whose search uses a model of the test."""

    load: Callable[[], Embedder]

    def search(
        self, sees: Callable[[str], bool] = lambda _: True, previous: ToolSearch | None = None
    ) -> ToolSearch:
        tools = [screened.tool for screened in self.tools() if sees(screened.tool.server)]
        return ToolSearch(tools, self.load, previous.vectors if previous else None)


@pytest.fixture
def gateway(tmp_path: Path) -> GatewayWithModel:
    """Two servers whose tools are known; only the small one can be started."""
    gateway = GatewayWithModel(tmp_path / "data", {}, utc_now)
    for name in ("small", "files"):
        gateway.add(name, {"command": sys.executable, "args": [str(SERVER), str(tmp_path)]})
    gateway.record("files", ServerListing(FILES))
    gateway.record("small", ServerListing((PID,)))
    return gateway


@asynccontextmanager
async def started(gateway: Gateway, folder: Path) -> AsyncIterator[Dispatcher]:
    async with anyio.create_task_group() as tasks:
        dispatcher = Dispatcher(gateway, folder, Exposure(), tasks)
        dispatcher.start()
        with anyio.fail_after(SECONDS):
            yield dispatcher
        await dispatcher.stop()
        tasks.cancel_scope.cancel()


def meanings(discovery: Discovery) -> dict[str, float | None]:
    return {hit.tool.id: hit.why.meaning for hit in discovery.hits}


@requirement("gateway:discovery:added-tools")
async def test_two_hundred_tools_are_found_and_calls_answered_while_the_model_reads_them(
    gateway: GatewayWithModel, tmp_path: Path
) -> None:
    model = BlockedEmbedder()
    gateway.load = lambda: model
    async with started(gateway, tmp_path) as dispatcher:
        await anyio.to_thread.run_sync(model.is_waiting.wait, SECONDS)
        gateway.record("small", ServerListing((PID, *ADDED)))  # as another process may do it

        by_words = await dispatcher.discover("write the report number 150", 5)
        called = await dispatcher.call("small:pid", {}, CALLER)

        assert not model.released.is_set()
        assert next(iter(meanings(by_words).items())) == ("small:report_150", None)
        assert text_of(called).isdigit()

        model.released.set()
        model.query_released.set()
        while None in meanings(await dispatcher.discover("write the report number 150", 5)).values():
            await anyio.wait_all_tasks_blocked()


@requirement("gateway:discovery:added-tools")
async def test_a_call_does_not_wait_while_the_model_reads_a_request(
    gateway: GatewayWithModel, tmp_path: Path
) -> None:
    model = BlockedEmbedder()
    model.released.set()
    gateway.load = lambda: model
    async with started(gateway, tmp_path) as dispatcher, anyio.create_task_group() as asking:

        async def discover_until_the_model_reads() -> None:
            while not model.is_reading.is_set():
                await dispatcher.discover("the number of the process", 1)

        asking.start_soon(discover_until_the_model_reads)
        await anyio.to_thread.run_sync(model.is_reading.wait, SECONDS)
        called = await dispatcher.call("small:pid", {}, CALLER)

        assert not model.query_released.is_set()
        assert text_of(called).isdigit()
        model.query_released.set()


async def test_without_its_model_a_gateway_finds_tools_by_words(
    gateway: GatewayWithModel, tmp_path: Path
) -> None:
    gateway.load = broken
    async with started(gateway, tmp_path) as dispatcher:
        for _ in range(2):
            found = await dispatcher.discover("move or rename a file", 3)
            await anyio.wait_all_tasks_blocked()

            assert next(iter(meanings(found))) == "files:move_file"
