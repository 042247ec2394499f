"""Which id was meant? The known ids that a wrong one resembles. Pure."""

from collections.abc import Collection
from difflib import get_close_matches


def near_ids(id: str, known: Collection[str], most: int = 3) -> list[str]:
    """The known ids that `id` may be a slip of: spelt alike, else with all of its words, else with most."""
    if alike := get_close_matches(id, known, n=most):
        return alike
    words = set(id.split("-"))
    shared = {other: len(words & set(other.split("-"))) for other in known}
    enough = max(1, len(words) // 2)
    hits = [
        other for other, count in shared.items() if count >= enough and count == max(shared.values())
    ]
    return sorted(hits, key=lambda other: (len(other), other))[:most]
