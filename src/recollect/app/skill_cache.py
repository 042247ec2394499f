"""A value that expires: computed when first needed, and again when it is too old or dropped.

Callers share the value, so it must be immutable.
"""

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

_T = TypeVar("_T")


class ExpiringValue(Generic[_T]):
    """Computes its value at most once at a time: the server's worker threads wait for the one that does."""

    def __init__(
        self, compute: Callable[[], _T], seconds: float, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._compute, self._seconds, self._now = compute, seconds, now
        self._computing = threading.Lock()
        self._drops = 0
        self._latest: tuple[_T, float] | None = None  # the value and when it expires

    def get(self) -> _T:
        """The value. An error while computing it is raised, and the next caller tries again."""
        started = self._now()
        with self._computing:
            if self._latest is not None and started < self._latest[1]:
                return self._latest[0]
            drops = self._drops
            value = self._compute()
            if drops == self._drops:
                self._latest = value, self._now() + self._seconds
            return value

    def ready(self) -> _T | None:
        """The latest value, however old, unless it was dropped; never waits."""
        latest = self._latest
        return latest[0] if latest is not None else None

    def drop(self) -> None:
        """Forget the value. A value that is being computed now is not stored."""
        self._drops += 1
        self._latest = None
