"""A deadline for work in compiled code, which nothing in Python can interrupt."""

import threading
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

_T = TypeVar("_T")


def within(seconds: float, work: Callable[[], _T]) -> _T:
    """Run `work` in a separate thread and return its result. Raises TimeoutError after `seconds`.

    The thread is abandoned then; it does not keep the process from ending. Code that holds the
    interpreter's lock all the time is not bounded.
    """
    [result] = all_within(seconds, [work])
    return result


def all_within(seconds: float, works: Sequence[Callable[[], _T]]) -> list[_T]:
    """Run each of `works` in a thread of its own, all at once, as `within` does; results in their order."""
    results: dict[int, _T] = {}
    errors: list[Exception] = []

    def run(place: int) -> None:
        try:
            results[place] = works[place]()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(place,), daemon=True) for place in range(len(works))]
    for thread in threads:
        thread.start()
    end = time.monotonic() + seconds
    for thread in threads:
        thread.join(max(end - time.monotonic(), 0.0))
    if any(thread.is_alive() for thread in threads):
        raise TimeoutError(f"it was not finished after {seconds:g} s")
    if errors:
        raise errors[0]
    return [results[place] for place in range(len(works))]
