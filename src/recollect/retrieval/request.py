"""What is asked of a search, and what comes back."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from recollect.retrieval.boosts import Attention
from recollect.retrieval.cutoff import SEARCH_LIMIT
from recollect.retrieval.index import Filters
from recollect.retrieval.search import Answer, Strategy

Mode = Literal["search", "auto"]


@dataclass(frozen=True, slots=True)
class Request:
    """What to look for, and how. Without a strategy, the best that is installed is taken."""

    text: str
    mode: Mode = "search"
    filters: Filters = field(default_factory=Filters)
    strategy: Strategy | None = None
    limit: int = SEARCH_LIMIT
    offset: int = 0
    files: tuple[str, ...] = ()
    channels: frozenset[str] | None = None  # only these; all when None
    attention: Attention | None = None
    threshold: float | None = None  # of the gate; the calibrated one when None


@dataclass(frozen=True, slots=True)
class Found:
    """The answer, the strategy that gave it, and what the asker should know about it."""

    answer: Answer
    strategy: Strategy
    notes: tuple[str, ...]
    matches: Callable[[str], bool]  # whether a word of a text is one of the query's
