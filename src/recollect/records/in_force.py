"""Is a memory in force? Active, valid, not superseded, and its category's own status says so. Pure.

Prompts, search, lists, `index.md`, `why`, the MCP tools and `doctor` all use this module. A decision is in
force when it is accepted; a constraint while it is active and has not expired; a tech debt until it is
resolved, even if it will not be fixed.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from recollect import clock
from recollect.records.categories import Category
from recollect.records.record import Memory, Status
from recollect.records.validity import Validity, ValidityState

# Statuses of a decision that was not in force at any time. It does not end what it would supersede either.
NEVER_IN_FORCE = frozenset({"proposed", "rejected"})
Successor = tuple[str, str]  # a superseding memory: its id, and when it starts being valid
_EXPIRY = re.compile(
    r"(?:expires|ends|ended|expired|valid)?\s*(?:on|by|until|till|through|after|at|the|end of|\s)*"
    r"(?P<date>\d{4}-\d{2}(?:-\d{2}(?P<time>[T ]\d{2}:\d{2}\S*)?)?)\W*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Ending:
    """The reason in a memory's own content why it is not in force, and since when."""

    reason: str
    at: str


@dataclass(frozen=True, slots=True)
class Force:
    """Everything that decides whether a memory is in force. Moments are texts of `clock.to_text`."""

    status: str
    validity: Validity
    ending: Ending | None = None
    successors: tuple[Successor, ...] = ()

    def is_in_force(self, now: datetime) -> bool:
        """Whether it is in force at `now`."""
        return not self.reason(now)

    def reason(self, now: datetime) -> str:
        """Why it is not in force at `now`, such as "rejected"; empty when it is in force."""
        if self.status != Status.ACTIVE:
            return self.status
        if ids := self.superseded_by(now):
            return f"superseded by {', '.join(ids)}{self._since(now)}"
        if self.ending is not None and self.ending.at <= self._moment(now):
            return self.ending.reason
        return "" if self.validity.is_valid(now) else self.validity.limit(now)

    def label(self, now: datetime) -> str:
        """The reason why it is not in force, or the limit of its validity; empty without either."""
        return self.reason(now) or self.validity.limit(now)

    def superseded_by(self, now: datetime) -> tuple[str, ...]:
        """The ids of the memories that supersede it at `now`."""
        return tuple(id for id, start in self.successors if start <= clock.to_text(now))

    def is_superseded(self, now: datetime) -> bool:
        """Whether it is superseded or no longer valid at `now`."""
        ended = self.ending is not None and self.ending.reason == "superseded"
        return ended or bool(self.superseded_by(now)) or self.validity.has_ended(now)

    def _since(self, now: datetime) -> str:
        end = self.validity.end
        passed = end is not None and self.validity.state(now) is ValidityState.ENDED
        first = min(start for _, start in self.successors)
        return f" since {(end if end and passed else first)[:10]}"

    def _moment(self, now: datetime) -> str:
        """A writer's clock may be ahead of ours; then the time of writing counts as now."""
        return max(clock.to_text(now), self.validity.written)


def force_of(memory: Memory, successors: Sequence[Successor] = ()) -> Force:
    """What decides whether `memory` is in force; `successors` are those that supersede it."""
    return Force(memory.status.value, memory.validity, ending(memory), tuple(successors))


def ending(memory: Memory) -> Ending | None:
    """Why and since when a memory's own content takes it out of force; None if it does not."""
    content = memory.content
    match memory.category:
        case Category.DECISION:
            status = str(content.get("status"))
            if status in NEVER_IN_FORCE:
                return Ending(status, clock.to_text(min(memory.created_at, memory.valid_from)))
            return None if status == "accepted" else Ending(status, _last_change(memory))
        case Category.CONSTRAINT:
            if content.get("active") is False:
                return Ending("inactive", _last_change(memory))
            return _expiry(str(content.get("expires") or ""))
        case Category.TECH_DEBT:
            is_resolved = content.get("status") == "resolved"
            return Ending("resolved", _last_change(memory)) if is_resolved else None
        case _:
            return None


def is_never_in_force(memory: Memory) -> bool:
    """Whether a memory is a decision that was only proposed, or rejected."""
    return memory.category is Category.DECISION and memory.content.get("status") in NEVER_IN_FORCE


def _last_change(memory: Memory) -> str:
    """When a status began, as far as the record says: where its validity ended, else its last change."""
    end = memory.valid_to
    return clock.to_text(memory.updated_at if end is None else min(end, memory.updated_at))


def _expiry(text: str) -> Ending | None:
    """The end that a constraint's `expires` names; None when it names a condition and no date.

    A day counts to its end, a month to its last day.
    """
    match = _EXPIRY.fullmatch(text.strip())
    if match is None:
        return None
    try:
        at = _end_of(match["date"], has_time=match["time"] is not None)
    except (ValueError, OverflowError):
        return None
    return Ending(f"expired on {match['date'][:10]}", clock.to_text(at))


def _end_of(text: str, *, has_time: bool) -> datetime:
    if has_time:
        return clock.from_text(text.rstrip(".,;)"))
    if len(text) == len("2026-01"):
        first = datetime.fromisoformat(f"{text}-01").replace(tzinfo=UTC)
        return (first + timedelta(days=31)).replace(day=1)
    return clock.from_text(text) + timedelta(days=1)
