"""How a memory ages: active > retired (restorable for a while) > collected; active > archived.

Pure: each function returns the changed memory; `memories` writes it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from recollect import clock
from recollect.errors import RefusedError
from recollect.records.categories import Category
from recollect.records.json_format import Json
from recollect.records.record import MAX_CHANGES, Memory, Status


@dataclass(frozen=True, slots=True)
class Retention:
    """How long memories stay. 0 days, or a maximum of 0, means no limit."""

    grace_days: int = 30
    days: Mapping[Category, int] = field(default_factory=lambda: {Category.SESSION_SUMMARY: 90})
    at_most: Mapping[Category, int] = field(default_factory=lambda: {Category.SESSION_SUMMARY: 5})


@dataclass(frozen=True, slots=True)
class Expiry:
    """A memory to retire or delete, and the reason."""

    memory: Memory
    reason: str


def changed(
    memory: Memory, fields: Mapping[str, Json], summary: str, now: datetime, **noted: Json
) -> Memory:
    """`memory` with these fields set, a new entry in its history, and updated counters.

    `noted` are further keys of that entry: `field`, `old_value`, `new_value`.
    """
    entry: Json = {"date": clock.to_text(now), "summary": summary[:300], **noted}
    history: list[Json] = [*memory.rows("changes"), entry]
    return memory.with_fields(
        {
            **fields,
            "updated_at": clock.to_text(max(now, memory.updated_at)),
            "changes": history[-MAX_CHANGES:],
            "times_updated": memory.times_updated + 1,
        }
    )


def pin(memory: Memory, now: datetime) -> Memory:
    """Pin a memory, or confirm that a pinned one is still true."""
    summary = "Confirmed" if memory.pinned_at else "Pinned"
    return changed(memory, {"pinned_at": clock.to_text(now)}, summary, now)


def unpin(memory: Memory, now: datetime) -> Memory:
    """A memory that is no longer pinned; unchanged if it was not."""
    return changed(memory, {"pinned_at": None}, "Unpinned", now) if memory.pinned_at else memory


def retire(memory: Memory, reason: str, now: datetime) -> Memory:
    """Take a memory out of use; it can be restored until its grace period ends."""
    _refuse_same(memory, Status.RETIRED)
    fields: dict[str, Json] = {
        "record_status": Status.RETIRED.value,
        "retired_at": clock.to_text(now),
        "retired_reason": reason,
        "archived_at": None,
        "archived_reason": None,
    }
    return changed(memory, fields, f"Retired: {reason}", now)


def archive(memory: Memory, reason: str, now: datetime) -> Memory:
    """Archive a memory: no prompt gets it and `gc` never deletes it."""
    _refuse_same(memory, Status.ARCHIVED)
    fields: dict[str, Json] = {
        "record_status": Status.ARCHIVED.value,
        "archived_at": clock.to_text(now),
        "archived_reason": reason,
        "retired_at": None,
        "retired_reason": None,
    }
    return changed(memory, fields, f"Archived: {reason}", now)


def restore(memory: Memory, now: datetime) -> Memory:
    """Bring a retired or archived memory back into use."""
    _refuse_same(memory, Status.ACTIVE)
    fields: dict[str, Json] = {
        "record_status": Status.ACTIVE.value,
        "retired_at": None,
        "retired_reason": None,
        "archived_at": None,
        "archived_reason": None,
    }
    return changed(memory, fields, "Restored", now)


def _refuse_same(memory: Memory, status: Status) -> None:
    if memory.status is status:
        raise RefusedError(f"memory {memory.id!r} is already {status.value}; nothing was changed.")


def to_retire(memories: Iterable[Memory], retention: Retention, now: datetime) -> list[Expiry]:
    """Active memories past their category's retention days or its maximum number, oldest first."""
    expired: list[Expiry] = []
    active = [memory for memory in memories if memory.status is Status.ACTIVE]
    for category in Category:
        ranked = sorted(
            (memory for memory in active if memory.category is category),
            key=lambda memory: (memory.updated_at, memory.id),
            reverse=True,
        )
        days, most = retention.days.get(category, 0), retention.at_most.get(category, 0)
        for position, memory in enumerate(ranked, start=1):
            if most and position > most:
                expired.append(Expiry(memory, f"only the newest {most} stay active"))
            elif days and now - memory.updated_at > timedelta(days=days):
                expired.append(Expiry(memory, f"older than {days} days"))
    return expired


def to_collect(memories: Iterable[Memory], retention: Retention, now: datetime) -> list[Expiry]:
    """Retired memories whose grace period is over. Archived ones never are."""
    grace = timedelta(days=retention.grace_days)
    return [
        Expiry(memory, f"retired more than {retention.grace_days} days ago")
        for memory in memories
        if memory.status is Status.RETIRED and now - (memory.retired_at or memory.updated_at) > grace
    ]
