"""What is known about the tools of a folder before one of them runs ahead."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import anyio
from anyio import to_thread

from recollect.app.call_log import CallLog
from recollect.app.call_targets import CallTarget
from recollect.app.gateway import Gateway
from recollect.app.tool_traces import Decided
from recollect.errors import RecollectError
from recollect.gateway.exposure import Exposure
from recollect.learning.thresholds import Execution
from recollect.tools.caller import Caller
from recollect.upstreams.pool import ConnectionPool
from recollect.workflow.prediction import BackOffBigram, NextTool, Predictor
from recollect.workflow.speculation import ExpectedTime, PredictedCall

_FRESH_SECONDS = 5.0  # for which what databases say counts
_T = TypeVar("_T")


class Work(Protocol):
    """Runs what uses a database, in its turn."""

    async def __call__(self, work: Callable[[], _T], /) -> _T: ...


@dataclass(frozen=True, slots=True)
class _Experience:
    """What earlier calls say, as of a moment."""

    at: float
    predictor: Predictor
    times: Mapping[str, ExpectedTime]


@dataclass(slots=True)
class CallKnowledge:
    """What the dispatcher of a folder knows. `target` raises NotFoundError and RefusedError.

    What databases say is read again after seconds, because real calls wait while it is.
    """

    gateway: Gateway
    exposure: Exposure
    pool: ConnectionPool
    log: CallLog
    work: Work
    target: Callable[[str, str], Awaitable[CallTarget]]
    _experience: _Experience | None = None

    def speculates(self) -> bool:
        """Whether a call of any server may run ahead."""
        try:
            upstreams = self.gateway.upstreams().values()
        except RecollectError:
            return False
        return self.exposure.speculates and any(upstream.speculate for upstream in upstreams)

    def is_connected(self, target: CallTarget, session: str) -> bool:
        """Whether a client has a connection to the server of a tool."""
        return self.pool.is_open(target.upstream, session)

    async def reach(self, target: CallTarget, caller: Caller) -> None:
        """Have the server of a tool started. Raises UpstreamError."""
        async with self.pool.connection(target.upstream, caller):
            pass

    async def predicted(self, recent: Sequence[str]) -> Sequence[NextTool]:
        """What may be called after these tools, best first. Edges predict until sequences were learned."""
        learned = await to_thread.run_sync(self.log.next_tools.predict, recent)
        if learned:
            return learned
        predictor = (await self._known()).predictor
        return await to_thread.run_sync(predictor.predict, recent)

    def trace(self, session: str, recent: Sequence[str], predictions: Sequence[NextTool]) -> None:
        """Record predictions; the calls that follow are their outcome."""
        scaling = self.log.next_tools.scaling
        self.log.traces.predicted(session, recent, predictions, *scaling)

    def trace_speculation(
        self, session: str, call: PredictedCall, raw: float | None, decided: Decided
    ) -> None:
        """Record whether a call was let run ahead. `raw` is None for a task of a plan."""
        slope, shift = self.log.next_tools.scaling
        params = {"PREDICTION_SLOPE": slope, "PREDICTION_SHIFT": shift}
        signals = {"plan": call.probability} if raw is None else {"raw": raw}
        self.log.traces.speculated(session, call, signals, {} if raw is None else params, decided)

    def decided(self, execution: Execution) -> None:
        """A later call showed whether a prediction was rightly accepted or rejected."""
        self.log.thresholds.executed("speculation", execution)

    async def times(self) -> Mapping[str, ExpectedTime]:
        """How long calls of each tool take."""
        return (await self._known()).times

    async def _known(self) -> _Experience:
        now = anyio.current_time()
        if self._experience is None or now >= self._experience.at + _FRESH_SECONDS:
            self._experience = await self.work(
                lambda: _Experience(now, BackOffBigram(self.log.edges()), self.log.times())
            )
        return self._experience
