"""What a server does while nobody asks it anything: it makes the vectors that are missing."""

import logging
import time

import anyio

from recollect.app.project import Recollect
from recollect.app.worker import ProjectWorker
from recollect.errors import ModelBusyError, RecollectError
from recollect.records.store import Progress

_LOG = logging.getLogger(__name__)
IDLE_SECONDS = 0.5  # since the last request
_LOOK_EVERY = 2.0  # seconds between looks at the folders when nothing is missing
_BUSY_SECONDS = 0.1  # to wait for a model that is being loaded
_FAILED_SECONDS = 60.0  # until a model or a project is tried again
_TURN_SECONDS = 0.5  # of work at once; less as soon as a request waits


class IdleVectors:
    """Embeds memories between requests, a passage or two at a time: a request waits no longer than that.

    What is done is recorded as it goes, so another server, or `recollect index`, continues from there.
    """

    def __init__(self, worker: ProjectWorker) -> None:
        self._worker = worker
        self._updated_at: list[int] | None = None  # the folders' times when the index was last updated
        self._scope: anyio.CancelScope | None = None
        self._is_over = False

    async def run(self) -> None:
        """Embed what is missing whenever the server is idle, until `stop`."""
        with anyio.CancelScope() as self._scope:
            while True:
                await anyio.sleep(await self._turn())

    def stop(self) -> None:
        """End after the passages that are being read now."""
        self._is_over = True
        if self._scope is not None:
            self._scope.cancel()

    async def _turn(self) -> float:
        """Work for a while; returns after how many seconds there may be more to do."""
        if self._worker.idle_seconds < IDLE_SECONDS:
            return IDLE_SECONDS
        try:
            return 0.0 if await self._worker.run_idle(self._embed) else _LOOK_EVERY
        except ModelBusyError:
            return _BUSY_SECONDS
        except RecollectError as error:  # each request reports it
            _LOG.info("vectors cannot be made: %s", error)
            return _FAILED_SECONDS

    def _embed(self, recollect: Recollect, progress: Progress) -> bool:
        """Embed what is missing for a moment; whether something is missing still."""
        if not recollect.search.uses_model:
            return False
        times = recollect.folder_times()
        if times != self._updated_at:
            recollect.search.update_index(progress)
            self._updated_at = times
        end = time.monotonic() + _TURN_SECONDS

        def is_time_up() -> bool:
            return self._is_over or self._worker.is_wanted or time.monotonic() >= end

        recollect.upkeep.embed(stop=is_time_up)
        return recollect.upkeep.count_missing_vectors() > 0
