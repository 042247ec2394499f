"""The request of a search, and its result."""

from __future__ import annotations

from recollect.retrieval.fusion import SEARCH_LIMIT
from recollect.retrieval.index import Filters
from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from recollect.retrieval.boosts import Attention
    from recollect.retrieval.search import Answer, Strategy

    Mode = Literal["search", "auto"]


class Request(Frozen):
    """What to search for, and how. Without a strategy, the best that is installed is used."""

    text: str
    mode: Mode = "search"
    filters: Filters = Filters()
    strategy: Strategy | None = None
    limit: int = SEARCH_LIMIT
    offset: int = 0
    files: tuple[str, ...] = ()
    channels: frozenset[str] | None = None  # only these; all when None
    attention: Attention | None = None
    session: str | None = None  # whose attention counts: None means the session seen last, '' none
    threshold: float | None = None  # of the gate; the calibrated one when None
    now: str | None = None  # rank what is not in force now last; by score alone when None


class SearchResult(Frozen):
    """The answer, the strategy that was used, and notes for the user."""

    answer: Answer
    strategy: Strategy
    notes: tuple[str, ...]
    matches: Callable[[str], bool]  # whether a word of a text is one of the query's
    withheld: int = 0  # hits that are not injected because the code they are about has changed
