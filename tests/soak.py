"""How long the suites of faults and attacks run: RECOLLECT_SOAK multiplies their counts and times."""

import os

SOAK = float(os.environ.get("RECOLLECT_SOAK", "1"))


def times(count: int) -> int:
    """A count of attempts, multiplied."""
    return max(1, round(count * SOAK))
