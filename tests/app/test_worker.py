"""From the event loop to the domain: one at a time, with progress, and a way to stop."""

import threading
from pathlib import Path

import anyio
import pytest
from tests.requirements import requirement
from tests.server.running import WAIT

from recollect.app import worker as working
from recollect.app.opening import init_project, open_project
from recollect.app.project import Recollect
from recollect.app.worker import ProjectWorker
from recollect.errors import NoProjectError
from recollect.records.store import Progress

pytestmark = pytest.mark.anyio


async def test_work_runs_in_a_thread_one_at_a_time(project: Recollect) -> None:
    bridge, inside, most = ProjectWorker(lambda: project), 0, 0
    threads = set()

    def work(_: Recollect, __: Progress) -> None:
        nonlocal inside, most
        threads.add(threading.get_ident())
        inside += 1
        most = max(most, inside)
        threading.Event().wait(0.01)
        inside -= 1

    async with anyio.create_task_group() as tasks:
        for _ in range(5):
            tasks.start_soon(bridge.run, work)

    assert most == 1
    assert threading.get_ident() not in threads


async def test_cancelled_work_ends_where_it_reports_progress(project: Recollect) -> None:
    bridge, began, ended = ProjectWorker(lambda: project), anyio.Event(), threading.Event()

    def work(_: Recollect, progress: Progress) -> None:
        anyio.from_thread.run_sync(began.set)
        try:
            for done in range(10**9):
                progress(done, 10**9)
        finally:
            ended.set()

    with anyio.fail_after(WAIT):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(bridge.run, work)
            await began.wait()
            tasks.cancel_scope.cancel()
        assert ended.is_set()
        assert await bridge.run(lambda _one, _tell: "the next one") == "the next one"


async def test_work_that_is_cancelled_while_it_waits_never_starts(project: Recollect) -> None:
    bridge, began, go, did = ProjectWorker(lambda: project), anyio.Event(), threading.Event(), []

    def long(_: Recollect, __: Progress) -> None:
        anyio.from_thread.run_sync(began.set)
        go.wait(WAIT)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(bridge.run, long)
        await began.wait()
        with anyio.move_on_after(0.01):
            await bridge.run(lambda _one, _tell: did.append("begun"))
        with pytest.raises(TimeoutError):
            await bridge.run(lambda _one, _tell: did.append("begun"), patience=0.01)
        go.set()

    assert did == []


async def test_progress_only_grows_and_is_not_reported_too_often(project: Recollect) -> None:
    told: list[tuple[float, float | None]] = []

    async def report(done: float, total: float | None = None, message: str | None = None, /) -> None:
        told.append((done, total))

    def work(_: Recollect, progress: Progress) -> None:
        for done in (1, 2, 2, 1, 3):
            progress(done, 3)

    await ProjectWorker(lambda: project, report_every=0).run(work, report)
    await ProjectWorker(lambda: project, report_every=60).run(work, report)

    assert told == [(1, 3), (2, 3), (3, 3)]


async def test_a_project_that_is_created_later_is_opened_then(
    tmp_path: Path, env: dict[str, str]
) -> None:
    bridge = ProjectWorker(lambda: open_project(tmp_path, env=env))

    with pytest.raises(NoProjectError):
        await bridge.run(lambda one, _: one.memories.scan())
    init_project(tmp_path, env=env)

    assert (await bridge.run(lambda one, _: one.memories.scan())).stored == ()


@requirement("cli:progress:said")
@pytest.mark.parametrize(
    ("after", "lines"), [(60.0, []), (0.0, ["still working on memories: 2 of 2,000 done"])]
)
async def test_the_log_says_how_far_work_is_that_somebody_waits_for(
    after: float,
    lines: list[str],
    project: Recollect,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(working, "LOG_AFTER", after)
    worker = ProjectWorker(lambda: project)

    def work(_: Recollect, progress: Progress) -> None:
        for done in (2, 3):
            progress(done, 2000)

    await worker.run(work)
    await worker.run_idle(lambda _, progress: progress(1, 2000))

    assert caplog.messages == lines
