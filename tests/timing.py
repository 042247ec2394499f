"""Time in proportion to the input: a ratio of two sizes, which a busy machine changes little."""

import time
from collections.abc import Callable

_NOISE = 0.01  # seconds; shorter runs say nothing about growth
_ATTEMPTS = 4
_LINEAR = 6.0  # at a ratio of sizes of 4


def growth(run: Callable[[int], object], small: int, large: int) -> float:
    """How many times longer `run` takes on the large size; at 4 times the size 4 is linear, 16 quadratic.

    The least of a few attempts, because a busy machine makes single runs slower.
    """
    ratios = []
    for _ in range(_ATTEMPTS):
        ratios.append(_seconds(run, large) / _seconds(run, small))
        if ratios[-1] < _LINEAR:
            break
    return min(ratios)


def _seconds(run: Callable[[int], object], size: int) -> float:
    began = time.process_time()
    run(size)
    return max(time.process_time() - began, _NOISE)
