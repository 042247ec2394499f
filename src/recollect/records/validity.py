"""When does a memory hold? Asked of a moment: an end may be still to come, and a beginning too. Pure."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from recollect import clock


class Standing(StrEnum):
    """Where a memory stands at a moment."""

    TO_COME = "to come"
    HOLDS = "holds"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Validity:
    """From when until when a memory holds. Moments are as `clock.to_text` writes them, so that they compare.

    What is there has been written, whatever the clock of its writer said: where that is ahead of ours, its
    own time counts, so that only a `valid_from` of its own makes a memory wait.
    """

    written: str
    start: str
    end: str | None = None

    def standing(self, now: datetime) -> Standing:
        """Where it stands at `now`. One that ends before it begins has ended: it never holds."""
        moment = max(clock.to_text(now), self.written)
        if self.end is not None and self.end <= max(moment, self.start):
            return Standing.ENDED
        return Standing.TO_COME if self.start > moment else Standing.HOLDS

    def holds(self, now: datetime) -> bool:
        """Whether it counts at `now`: it has begun and not ended."""
        return self.standing(now) is Standing.HOLDS

    def ended(self, now: datetime) -> bool:
        """Whether it counts no more at `now`: its end has passed, as when another superseded it."""
        return self.standing(now) is Standing.ENDED

    def told(self, now: datetime) -> str:
        """What limits it at `now`, to be read; nothing when nothing does."""
        match self.standing(now):
            case Standing.TO_COME:
                return f"not valid before {self.start[:10]}"
            case Standing.HOLDS:
                return f"valid until {self.end[:10]}" if self.end else ""
            case Standing.ENDED:
                passed = self.end is not None and self.end <= clock.to_text(now)
                return "no longer valid" + (f" since {self.end[:10]}" if self.end and passed else "")

    def mark(self, now: datetime) -> str:
        """The same in a list, where there is no room for since when."""
        return "superseded" if self.ended(now) else self.told(now)
