"""Decisions about what comes next, until calls show whether they were right."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from recollect.learning.thresholds import Execution

PATIENCE = 5  # calls, after which what was predicted was not needed (DESIGN 11)


@dataclass(slots=True)
class PendingDecisions:
    """The predictions of one session that later calls decide about."""

    _waiting: list[tuple[str, float, bool, int]] = field(default_factory=list)
    _calls: int = 0

    def add(self, tool: str, score: float, *, accepted: bool) -> None:
        """A tool was predicted, and accepted or not."""
        self._waiting.append((tool, score, accepted, self._calls))

    def called(self, tool: str, *, succeeded: bool = True) -> Iterator[Execution]:
        """A tool was called: what this decides, about it and about what waited too long.

        One that failed was not worth accepting.
        """
        self._calls += 1
        waiting, self._waiting = self._waiting, []
        for name, score, accepted, since in waiting:
            if name == tool:
                yield Execution(score, accepted, right=accepted == succeeded)
            elif self._calls - since >= PATIENCE:
                yield Execution(score, accepted, right=not accepted)
            else:
                self._waiting.append((name, score, accepted, since))
