"""A session as commands and tools show it: its items, and what left."""

from __future__ import annotations

from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.working.session import WorkingMemory


class Session(Frozen):
    """One session, as a list shows it: `extracted` and `redacted` count the items it has made so far."""

    id: str
    harness: str
    started_at: str
    seen_at: str
    items: int
    goal: str
    extracted: int = 0
    redacted: int = 0


class Left(Frozen):
    """An item that left working memory, why, and at which event."""

    content: str
    kind: str
    reason: str
    event: int


class View(Frozen):
    """One session as it is now."""

    session: Session
    memory: WorkingMemory
    left: tuple[Left, ...]


class RuleCount(Frozen):
    """How often a rule has kept something, and when it last did."""

    rule: str
    matched: int
    last_at: str
