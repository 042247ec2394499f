"""What a guest may use. Nothing is unlimited: what is not passed to the interpreter is not limited by it."""

from dataclasses import dataclass

LONGEST_CODE = 64_000  # characters of a guest's source


@dataclass(slots=True)
class GuestBudget:
    """What a guest and the guests that it started have used together: seconds of computing, and how many."""

    seconds: float = 0.0
    guests: int = 0


@dataclass(frozen=True, slots=True)
class GuestLimits:
    """The limits of one guest. Time that it waits for calls does not count as its own.

    `seconds` of its own computing, and as many of sleep; `memory` in bytes; `depth` of functions that call
    functions; `calls` of tools; `printed` and `result` in bytes.
    """

    seconds: float = 10.0
    memory: int = 64_000_000
    depth: int = 200
    calls: int = 200
    printed: int = 64_000
    result: int = 4_000_000

    @property
    def grace(self) -> float:
        """Seconds after which a worker is ended that does not stop by itself."""
        return self.seconds / 4

    @property
    def turns(self) -> int:
        """Exchanges between guest and host: each call has at most a lookup, a start and an end."""
        return self.calls * 4 + 100
