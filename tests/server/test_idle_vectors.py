"""A server that nobody asks makes the vectors that are missing."""

import threading
from collections.abc import Iterator, Sequence

import anyio
import numpy as np
import pytest
from numpy.typing import NDArray
from tests.requirements import requirement
from tests.retrieval.corpora import BagOfWords
from tests.server.conftest import save
from tests.server.running import WAIT

from recollect.app.project import Recollect
from recollect.app.worker import ProjectWorker
from recollect.errors import ModelBusyError, ModelError
from recollect.records.store import Progress
from recollect.retrieval.request import Request
from recollect.server import idle_vectors
from recollect.server.memory_tools import MemoryTools

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("IDLE_SECONDS", "_LOOK_EVERY", "_BUSY_SECONDS", "_FAILED_SECONDS"):
        monkeypatch.setattr(idle_vectors, name, 0.01)


def missing(project: Recollect, _: Progress) -> int:
    return project.upkeep.count_missing_vectors()


async def until_complete(worker: ProjectWorker) -> None:
    with anyio.fail_after(WAIT):
        while await worker.run(missing):
            await anyio.sleep(0.02)


@requirement("retrieval:vectors:idle")
async def test_an_idle_server_embeds_what_it_has_and_what_is_added_meanwhile(
    project: Recollect,
) -> None:
    project.search.finder.embedder = BagOfWords
    save(project, "Ledger shards")
    worker = ProjectWorker(lambda: project)
    tools = MemoryTools(worker)

    async with anyio.create_task_group() as tasks:
        await tools.start(tasks)
        await until_complete(worker)
        await worker.run(lambda opened, _: save(opened, "Refund webhook"))
        await worker.run(lambda opened, _: opened.search.update_index())
        await until_complete(worker)
        await tools.stop()

    assert project.find(Request("refund")).strategy == "hybrid"


class Counting(BagOfWords):
    """A model that says when it reads, and reads on only when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.reading, self.go = threading.Event(), threading.Event()

    def passages(self, texts: Sequence[str]) -> Iterator[NDArray[np.float32]]:
        for vector in super().passages(texts):
            self.reading.set()
            self.go.wait(WAIT)
            yield vector


@requirement("retrieval:vectors:idle")
async def test_a_request_waits_for_one_passage_and_not_for_the_rest(project: Recollect) -> None:
    model = Counting()
    project.search.finder.embedder = lambda: model
    for number in range(5):
        save(project, f"Ledger {number}")
    worker = ProjectWorker(lambda: project)
    tools = MemoryTools(worker)

    async with anyio.create_task_group() as tasks:
        await tools.start(tasks)
        await anyio.to_thread.run_sync(model.reading.wait, WAIT)
        texts: list[int] = []

        async def ask() -> None:
            texts.append(await worker.run(lambda _, __: len(model.read)))

        tasks.start_soon(ask)
        await anyio.sleep(0)
        assert worker.is_wanted
        model.go.set()
        while not texts:
            await anyio.sleep(0)
        await tools.stop()

    assert texts == [1]


async def test_a_model_that_is_busy_or_broken_is_asked_again(project: Recollect) -> None:
    failures: list[Exception] = [ModelBusyError("bag", 0.1), ModelError("bag", "spoiled", "mend it")]

    class Failing(BagOfWords):
        def passages(self, texts: Sequence[str]) -> Iterator[NDArray[np.float32]]:
            if failures:
                raise failures.pop()
            return super().passages(texts)

    model = Failing()
    project.search.finder.embedder = lambda: model
    save(project, "Ledger shards")
    worker = ProjectWorker(lambda: project)
    tools = MemoryTools(worker)

    async with anyio.create_task_group() as tasks:
        await tools.start(tasks)
        await until_complete(worker)
        await tools.stop()

    assert failures == []
