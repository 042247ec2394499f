"""Time in proportion to the input: a ratio of two sizes, which a busy machine does not change much."""

import time
from collections.abc import Callable

_NOISE = 0.01  # seconds; shorter runs say nothing about growth


def growth(run: Callable[[int], object], small: int, large: int) -> float:
    """How many times longer `run` takes on the large size; 4 for linear, 16 for quadratic at a ratio of 4."""
    return max(_seconds(run, large), _NOISE) / max(_seconds(run, small), _NOISE)


def _seconds(run: Callable[[int], object], size: int) -> float:
    """Processor time of the faster of two runs."""
    seconds = []
    for _ in range(2):
        began = time.process_time()
        run(size)
        seconds.append(time.process_time() - began)
    return min(seconds)
