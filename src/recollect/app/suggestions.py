"""Capabilities that are suggested unasked: a session called their tools one by one.

Each is suggested once in a session, the best one at a time, and a few at most. What the session does next
moves the threshold. Nothing of it delays a call: what is suggested comes from a list of some seconds ago.
"""

from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import anyio
from anyio.abc import TaskGroup

from recollect.app.thresholds import LearnedThresholds
from recollect.app.tool_traces import ToolTraces
from recollect.errors import RecollectError
from recollect.learning.capabilities import Capability
from recollect.learning.capability_overlap import OverlapHit, overlapping_capabilities
from recollect.learning.capability_scorings import overlap_candidates
from recollect.learning.pending_decisions import PendingDecisions
from recollect.learning.weights import OVERLAP_CALLS

MOST_IN_SESSION = 3
_FRESH_SECONDS = 5.0  # for which the list of capabilities counts
_MOST_SESSIONS = 100
_MOST_TRACED = 3


@dataclass(slots=True)
class _Session:
    """The last tools that a client called, and what was decided about capabilities."""

    recent: deque[str] = field(default_factory=lambda: deque(maxlen=int(OVERLAP_CALLS)))
    judged: dict[str, float] = field(default_factory=dict)  # the overlap, by name
    suggested: int = 0
    pending: PendingDecisions = field(default_factory=PendingDecisions)


class Suggestions:
    """Decides what is suggested in each session. `known` reads the capabilities that are not stale."""

    def __init__(
        self,
        known: Callable[[], Awaitable[Sequence[Capability]]],
        tasks: TaskGroup,
        thresholds: LearnedThresholds,
        traces: ToolTraces,
    ) -> None:
        self._known, self._tasks, self._thresholds, self._traces = known, tasks, thresholds, traces
        self._capabilities: Sequence[Capability] = ()
        self._read_at = float("-inf")
        self._sessions: dict[str, _Session] = {}

    def called(self, id: str, tool: str) -> None:
        """A client called a tool with success."""
        session = self._session(id)
        session.recent.append(tool)
        for execution in session.pending.called(tool):
            self._thresholds.executed("capability", execution)
        if anyio.current_time() >= self._read_at + _FRESH_SECONDS:
            self._read_at = anyio.current_time()
            self._tasks.start_soon(self._read)

    def ran(self, id: str, name: str, *, succeeded: bool) -> None:
        """A client ran a capability, suggested or not: it needs no suggestion of it any more."""
        self._traces.ran_capability(id, name, succeeded=succeeded)
        session = self._session(id)
        for execution in session.pending.called(name, succeeded=succeeded):
            self._thresholds.executed("capability", execution)
        session.judged[name] = 1.0

    def next(self, id: str) -> Capability | None:
        """What a client is to hear of now; mostly nothing."""
        session = self._session(id)
        hits = [
            hit
            for hit in overlapping_capabilities(session.recent, self._capabilities)
            if hit.overlap > session.judged.get(hit.capability.name, 0.0)
        ][:_MOST_TRACED]
        if not hits or session.suggested >= MOST_IN_SESSION:
            return None
        threshold = self._thresholds.value("capability")
        accepted = [hit for hit in hits if hit.score >= threshold][:1]
        decided = accepted or hits  # others that would do are decided about when they are next
        self._traces.suggested(
            id, " ".join(session.recent), overlap_candidates(decided, threshold), threshold
        )
        for hit in decided:
            self._decide(session, hit, accepted=bool(accepted))
        session.suggested += len(accepted)
        return accepted[0].capability if accepted else None

    def _decide(self, session: _Session, hit: OverlapHit, *, accepted: bool) -> None:
        """Whether that was right shows later. A capability that was suggested is not suggested again."""
        session.judged[hit.capability.name] = 1.0 if accepted else hit.overlap
        session.pending.add(hit.capability.name, hit.score, accepted=accepted)

    async def _read(self) -> None:
        """Read the list again; what cannot be read now stays as it was."""
        with suppress(RecollectError):
            self._capabilities = await self._known()

    def _session(self, id: str) -> _Session:
        session = self._sessions.pop(id, None) or _Session()
        self._sessions[id] = session
        if len(self._sessions) > _MOST_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        return session
