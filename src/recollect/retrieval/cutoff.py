"""Where a ranking is cut.

`page` returns a page of a search. `auto` returns the hits that a prompt hook injects: few, and only those
close to the best. There is no absolute threshold, because scores are not comparable across queries; the
gate decides whether to inject anything.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol, TypeVar

    class Scored(Protocol):
        """Anything with a score."""

        @property
        def score(self) -> float: ...

    _Hit = TypeVar("_Hit", bound=Scored)

AUTO_MOST = 3
AUTO_SHARE = 0.50  # of the best score
SEARCH_LIMIT = 10


def auto(hits: Sequence[_Hit], most: int = AUTO_MOST) -> list[_Hit]:
    """The hits to inject: at most `most`, each at least half as good as the best."""
    if not hits:
        return []
    floor = AUTO_SHARE * hits[0].score
    return [hit for hit in hits[:most] if hit.score >= floor]


def page(hits: Sequence[_Hit], limit: int = SEARCH_LIMIT, offset: int = 0) -> list[_Hit]:
    """One page of a search."""
    return list(hits[offset : offset + limit])
