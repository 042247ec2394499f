"""The adaptive thresholds of a project: their values now, and what executions change about them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from recollect import clock
from recollect.app.state_source import StateSource
from recollect.learning.ports import ThresholdStore
from recollect.learning.thresholds import (
    STARTS,
    AdaptiveThreshold,
    DecisionKind,
    Execution,
    after,
    started,
)

_MOST_WAITING = 1_000


@dataclass(slots=True)
class LearnedThresholds:
    """Values in memory, which `write` brings up to date with the store and other processes."""

    now: Callable[[], datetime]
    _values: dict[DecisionKind, float] = field(default_factory=dict)
    _waiting: list[tuple[DecisionKind, Execution, str]] = field(default_factory=list)

    def value(self, kind: DecisionKind) -> float:
        """The threshold as it is known now."""
        return self._values.get(kind, started(kind).value)

    def executed(self, kind: DecisionKind, execution: Execution) -> None:
        """A decision turned out to be right or wrong."""
        if len(self._waiting) < _MOST_WAITING:
            self._waiting.append((kind, execution, clock.to_text(self.now())))

    def write(self, store: ThresholdStore) -> None:
        """Learn from what waits, and read what others learned. Raises StoreError."""
        waiting, self._waiting = self._waiting, []
        if not waiting and self._values:
            return
        if waiting:
            with store.transaction():
                for kind in {kind: None for kind, _, _ in waiting}:
                    threshold = store.get(kind) or started(kind)
                    for _, execution, at in (each for each in waiting if each[0] == kind):
                        threshold = after(threshold, execution, at)
                    store.put(threshold)
        self._values = {kind: started(kind).value for kind in STARTS}
        self._values.update((threshold.kind, threshold.value) for threshold in store.all())


def stored_thresholds(state: StateSource) -> Sequence[AdaptiveThreshold]:
    """The thresholds of a project; none where nothing was stored. Raises StoreError."""
    if not state.exists():
        return ()
    stores = state.open()
    try:
        return stores.thresholds.all()
    finally:
        stores.close()
