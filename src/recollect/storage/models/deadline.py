"""A deadline for work in compiled code, which nothing in Python can interrupt."""

import threading
from collections.abc import Callable
from typing import TypeVar

_T = TypeVar("_T")


def within(seconds: float, work: Callable[[], _T]) -> _T:
    """Run `work` in a separate thread and return its result. Raises TimeoutError after `seconds`.

    The thread is abandoned then; it does not keep the process from ending. Code that holds the
    interpreter's lock all the time is not bounded.
    """
    results: list[_T] = []
    errors: list[Exception] = []

    def run() -> None:
        try:
            results.append(work())
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        raise TimeoutError(f"it was not done after {seconds:g} s")
    if errors:
        raise errors[0]
    return results[0]
