"""One object, kept for a while: made once however many ask at the same time, dropped when told to.

What is made is handed out as it is, so it must be immutable.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

_T = TypeVar("_T")


class ExpiringValue(Generic[_T]):
    """Makes its object when it is first asked for, and again when `seconds` have passed."""

    def __init__(
        self, make: Callable[[], _T], seconds: float, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._make, self._seconds, self._now = make, seconds, now
        self._lock = threading.Lock()
        self._kept: tuple[_T, float] | None = None  # and until when
        self._under_way: Future[_T] | None = None

    def get(self) -> _T:
        """The object. Whoever asks while it is being made waits for that; what goes wrong goes to all."""
        kept = self._kept
        if kept is not None and self._now() < kept[1]:
            return kept[0]
        with self._lock:
            kept, flight = self._kept, self._under_way
            if kept is not None and self._now() < kept[1]:
                return kept[0]
            mine = flight is None
            if flight is None:
                flight = self._under_way = Future()
        if mine:
            self._fly(flight)
        return flight.result()

    def ready(self) -> _T | None:
        """The object that was made last, however old, if it was not dropped; never waits."""
        kept = self._kept
        return kept[0] if kept is not None else None

    def drop(self) -> None:
        """Forget the object: whoever asks from now on gets one that was made after this."""
        with self._lock:
            self._kept = self._under_way = None

    def _fly(self, flight: "Future[_T]") -> None:
        try:
            made = self._make()
        except BaseException as error:
            self._landed(flight, None)
            flight.set_exception(error)
        else:
            self._landed(flight, (made, self._now() + self._seconds))
            flight.set_result(made)

    def _landed(self, flight: "Future[_T]", kept: tuple[_T, float] | None) -> None:
        with self._lock:
            if self._under_way is flight:  # else it was dropped meanwhile
                self._kept, self._under_way = kept, None
