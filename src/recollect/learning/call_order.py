"""Which call came after which? One that began when the other had ended; calls in parallel have no order."""

from collections import deque
from dataclasses import dataclass, field

_MOST_SESSIONS = 1_000
_MOST_CALLS = 16  # of a session: what ran longer beside so many others has no predecessor


@dataclass(frozen=True, slots=True)
class CallPlace:
    """Where a call stands: the tool called before it, if any, and the chain of calls that it continues."""

    before: str | None
    chain: str


@dataclass(frozen=True, slots=True)
class _EndedCall:
    tool: str
    ended: float
    chain: int


@dataclass(slots=True)
class _Session:
    calls: deque[_EndedCall] = field(default_factory=lambda: deque(maxlen=_MOST_CALLS))
    chains: int = 0

    def add(self, tool: str, began: float, ended: float) -> tuple[str | None, int]:
        earlier = [call for call in self.calls if call.ended <= began]
        before = max(earlier, key=lambda call: call.ended, default=None)
        is_next = before is not None and not any(
            call.chain == before.chain and call.ended > before.ended for call in self.calls
        )
        if before is None or not is_next:
            self.chains += 1
        chain = before.chain if before is not None and is_next else self.chains
        self.calls.append(_EndedCall(tool, ended, chain))
        return (before.tool if before else None), chain


@dataclass(slots=True)
class CallOrder:
    """The last calls of each session, with their times. Calls are added when they end."""

    _sessions: dict[str, _Session] = field(default_factory=dict)

    def add(self, session: str, tool: str, began: float, ended: float) -> CallPlace:
        """A call ended. Of two that follow the same call, the second begins a chain of its own."""
        known = self._sessions.pop(session, None) or _Session()
        self._sessions[session] = known
        if len(self._sessions) > _MOST_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        before, chain = known.add(tool, began, ended)
        return CallPlace(before, f"{session}/{chain}")

    def last(self, session: str) -> str | None:
        """The tool of the call that ended last."""
        known = self._sessions.get(session)
        return known.calls[-1].tool if known else None
