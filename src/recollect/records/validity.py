"""When is a memory valid? Both its start and its end may be in the future. Pure."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from recollect import clock


class ValidityState(StrEnum):
    """The state of a memory's validity at a moment."""

    FUTURE = "future"
    VALID = "valid"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Validity:
    """The period in which a memory is valid. Moments are texts of `clock.to_text`, so that they compare.

    A writer's clock may be ahead of ours. Then the time of writing counts as now, so that only an explicit
    `valid_from` delays a memory.
    """

    written: str
    start: str
    end: str | None = None

    def state(self, now: datetime) -> ValidityState:
        """Its state at `now`. One that ends before it starts has ended: it is never valid."""
        moment = max(clock.to_text(now), self.written)
        if self.end is not None and self.end <= max(moment, self.start):
            return ValidityState.ENDED
        return ValidityState.FUTURE if self.start > moment else ValidityState.VALID

    def is_valid(self, now: datetime) -> bool:
        """Whether it is valid at `now`: it has started and not ended."""
        return self.state(now) is ValidityState.VALID

    def has_ended(self, now: datetime) -> bool:
        """Whether its validity has ended at `now`, for example because another memory superseded it."""
        return self.state(now) is ValidityState.ENDED

    def limit(self, now: datetime) -> str:
        """What limits its validity at `now`, as a phrase; empty when nothing does."""
        match self.state(now):
            case ValidityState.FUTURE:
                return f"not valid before {self.start[:10]}"
            case ValidityState.VALID:
                return f"valid until {self.end[:10]}" if self.end else ""
            case ValidityState.ENDED:
                passed = self.end is not None and self.end <= clock.to_text(now)
                return "no longer valid" + (f" since {self.end[:10]}" if self.end and passed else "")
