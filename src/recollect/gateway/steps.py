"""A long request in steps: its sentences, and clauses that begin a new task."""

import re

MOST_STEPS = 8  # the rest of a very long request is searched as part of the whole
_BREAK = re.compile(
    r"(?<=[.!?\u3002\uff01\uff1f])\s+|\n+|;\s+|,?\s+(?:and then|then|after that|afterwards)\s+",
    re.IGNORECASE,
)


def steps(text: str) -> list[str]:
    """The steps of a request; none when it has only one."""
    parts = [part.strip() for part in _BREAK.split(text) if part and part.strip()]
    return parts[:MOST_STEPS] if len(parts) > 1 else []
