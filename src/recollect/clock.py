"""Time as a dependency: domain code gets a clock as an argument and never reads the system time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """The wall clock, to the second: the precision of the record format."""
    return datetime.now(UTC).replace(microsecond=0)


def precise_now() -> datetime:
    """The wall clock, to the millisecond: the precision of the journal of a run."""
    now = datetime.now(UTC)
    return now.replace(microsecond=now.microsecond // 1_000 * 1_000)


def to_text(moment: datetime) -> str:
    """Write `moment` as the format does: `2026-11-15T10:00:00Z`. Sorts as the moments do."""
    try:
        utc = moment.astimezone(UTC)
    except OverflowError:  # a zone may put the last day of the calendar behind its end
        utc = moment.replace(tzinfo=UTC)
    return utc.replace(microsecond=0, tzinfo=None).isoformat() + "Z"


def from_text(text: str) -> datetime:
    """Read an ISO 8601 date or date-time; without a zone it is taken as UTC.

    Raises ValueError for anything else.
    """
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
