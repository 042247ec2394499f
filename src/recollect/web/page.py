"""What the endpoints of the page ask: the project, the gateway, the runs, and who sits in front of it."""

import os
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import anyio
from anyio import to_thread
from anyio.abc import TaskGroup

from recollect.app.bounded_model import BackgroundRun
from recollect.app.change_versions import ChangeVersions
from recollect.app.finder import run_model
from recollect.app.gateway import open_gateway
from recollect.app.opening import open_project
from recollect.app.page_runs import PageRuns
from recollect.app.project import Recollect
from recollect.app.reranking import run_reranker
from recollect.app.run_store import open_run_store
from recollect.app.worker import ProjectWorker
from recollect.clock import Clock, precise_now, utc_now
from recollect.errors import NotFoundError
from recollect.loopback.endpoint import ApiCall
from recollect.loopback.streams import Streams
from recollect.records.store import Progress
from recollect.team.principal import Principal
from recollect.team.roles import LEAST_ROLE, Permission
from recollect.web.changes import ChangeFeed

MOST_STREAMS = 256
_PATIENCE = 20.0  # seconds that a request waits for its turn
_MODEL = BackgroundRun(run_model, rerank=run_reranker)
_T = TypeVar("_T")
Work = Callable[[Recollect, ApiCall["WebPage"]], object]


class ProjectGoneError(NotFoundError):
    """The folder that is shown was moved or deleted."""

    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"the folder {str(folder)!r} no longer exists; the page shows it again once it is back."
        )


class WebPage:
    """One project, open in a browser. `start` opens what needs the event loop.

    `approval_refusal` says why whoever sits in front of it may not approve; empty for a person. One that is
    `shared` is open for the members of a team.
    """

    def __init__(
        self,
        folder: Path,
        approval_refusal: str = "",
        env: Mapping[str, str] = os.environ,
        clock: Clock | None = None,
        *,
        shared: bool = False,
    ) -> None:
        self.folder, self.approval_refusal = folder.resolve(), approval_refusal
        self._env, self._clock = env, clock or utc_now
        gateway = open_gateway(env, clock or precise_now)
        self.shared, self.gateway = shared, gateway.shared() if shared else gateway
        self.streams = Streams(MOST_STREAMS)
        self._versions = ChangeVersions(self.gateway, self.folder)
        self.changes = ChangeFeed(self._versions)
        self._worker = ProjectWorker(self._open)
        self._slow_worker = ProjectWorker(self._open)
        self._tasks: TaskGroup | None = None
        self._runs: PageRuns | None = None
        self._opening = anyio.Lock()

    def start(self, tasks: TaskGroup) -> None:
        """Watch for changes, and be ready to drive runs, in this scope."""
        self._tasks = tasks
        tasks.start_soon(self.changes.watch)
        tasks.start_soon(self._prepare)

    async def _prepare(self) -> None:
        """Open the project and update its index, so that the first request need not wait for it."""
        with suppress(Exception):  # what fails here fails again, with a message, when somebody asks
            await self._worker.run(_update_index)

    async def stop(self) -> None:
        """End the streams, and pause the runs that this process drives."""
        self.streams.end()
        await self._stop_runs()
        for worker in (self._worker, self._slow_worker):
            await worker.settle()

    def refusal_to(self, who: Principal) -> str:
        """Why somebody may not approve; empty if they may."""
        if who.may(Permission.APPROVE_CALLS):
            return ""
        needed = LEAST_ROLE[Permission.APPROVE_CALLS].value
        return self.approval_refusal or f"approving needs the role {needed!r}."

    async def ask(self, work: Callable[[Recollect], _T], *, slow: bool = False) -> _T:
        """Do work on the project in a thread, one at a time; what is slow has a thread of its own.

        Raises TimeoutError when others take too long.
        """
        worker = self._slow_worker if slow else self._worker
        try:
            return await worker.run(lambda recollect, _: work(_present(recollect)), patience=_PATIENCE)
        except ProjectGoneError:
            self._worker, self._slow_worker = ProjectWorker(self._open), ProjectWorker(self._open)
            raise

    async def runs(self) -> PageRuns:
        """The runs of the project. Raises StoreError, and NotFoundError while its folder is gone."""
        async with self._opening:
            if not await to_thread.run_sync(self.folder.is_dir):
                await self._stop_runs()
                raise ProjectGoneError(self.folder)
            if self._runs is None:
                assert self._tasks is not None, "the page must be started before it is queried"
                store = await to_thread.run_sync(open_run_store, self.gateway, self.folder)
                self._runs = PageRuns(self.gateway, self.folder, store, self._tasks)
        return self._runs

    async def _stop_runs(self) -> None:
        if self._runs is not None:
            await self._runs.stop()
            self._runs = None

    def _open(self) -> Recollect:
        if not self.folder.is_dir():
            raise ProjectGoneError(self.folder)
        return open_project(
            self.folder,
            env=self._env,
            clock=self._clock,
            run=_MODEL,
            files=self._versions.files,
        )


def _present(recollect: Recollect) -> Recollect:
    """The project while it is there: nothing is made again in the place of a folder that was moved."""
    if not recollect.root.is_dir():
        raise ProjectGoneError(recollect.root)
    return recollect


def _update_index(recollect: Recollect, progress: Progress) -> None:
    """Update the index of a project that has one; to look at a new project makes nothing."""
    if _present(recollect).state_folder.is_dir():
        recollect.search.update_index(progress)


def in_project(work: Work, *, slow: bool = False) -> Callable[[ApiCall[WebPage]], Awaitable[object]]:
    """A handler that does `work` on the project in a thread; `slow` if it may take over half a second."""

    async def handler(call: ApiCall[WebPage]) -> object:
        return await call.door.ask(lambda recollect: work(recollect, call), slow=slow)

    return handler
