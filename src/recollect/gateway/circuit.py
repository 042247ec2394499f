"""When a server that failed may be started again. Pure: times are passed in, in seconds of one clock.

A failure is a start that came to nothing, or a process that ended while a request was open. Failures are
forgotten by time and not by success, because a server can list its tools well and die in every call.
"""

from dataclasses import dataclass, replace
from typing import Literal

from recollect.gateway.weights import (
    BACKOFF_FACTOR,
    BACKOFF_FIRST,
    BREAKER_FAILURES,
    BREAKER_MEMORY,
    BREAKER_REST,
)

CircuitState = Literal["closed", "open", "half-open"]


@dataclass(frozen=True, slots=True)
class Circuit:
    """The recent failures of one server, oldest first."""

    failures: tuple[float, ...] = ()

    def failed(self, now: float) -> "Circuit":
        """After one more failure."""
        return replace(self, failures=(*self._recent(now), now))

    def state(self, now: float) -> CircuitState:
        """`open`: nothing is started; `half-open`: one attempt, and a failure opens it again."""
        recent = self._recent(now)
        if len(recent) < BREAKER_FAILURES:
            return "closed"
        return "open" if now < recent[-1] + BREAKER_REST else "half-open"

    def wait(self, now: float) -> float:
        """Seconds until the next start; for an open circuit, until it is tried again."""
        recent = self._recent(now)
        if not recent:
            return 0.0
        if len(recent) >= BREAKER_FAILURES:
            pause = float(BREAKER_REST)
        else:
            pause = BACKOFF_FIRST * BACKOFF_FACTOR ** (len(recent) - 1)
        return max(0.0, recent[-1] + pause - now)

    def count(self, now: float) -> int:
        """How many failures are remembered."""
        return len(self._recent(now))

    def _recent(self, now: float) -> tuple[float, ...]:
        most = int(BREAKER_FAILURES)
        return tuple(time for time in self.failures if now - time < BREAKER_MEMORY)[-most:]
