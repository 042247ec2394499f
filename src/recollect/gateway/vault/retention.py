"""Which stored results are deleted, and when no more fit: by age, count and bytes."""

from collections.abc import Sequence
from dataclasses import dataclass

MAX_AGE = 7 * 86_400.0  # seconds
MAX_COUNT = 500
MAX_BYTES = 512 * 1024 * 1024
PROTECTED = 3_600.0  # seconds in which a result may still be read by the session that got it


@dataclass(frozen=True, slots=True)
class StoredSize:
    """A stored result: when it was written, in seconds, and its bytes."""

    handle: str
    written: float
    bytes: int


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is stored."""

    age: float = MAX_AGE
    count: int = MAX_COUNT
    bytes: int = MAX_BYTES


def expired(results: Sequence[StoredSize], now: float, limits: Limits = Limits()) -> list[str]:
    """The results to delete, the oldest first; never one that was written within the hour."""
    handles: list[str] = []
    oldest_first = sorted(results, key=lambda result: (result.written, result.handle))
    count, size = len(results), sum(result.bytes for result in results)
    for result in oldest_first:
        age = now - result.written
        if age < PROTECTED:
            break
        if age > limits.age or count > limits.count or size > limits.bytes:
            handles.append(result.handle)
            count, size = count - 1, size - result.bytes
    return handles


def refusal(results: Sequence[StoredSize], size: int, limits: Limits = Limits()) -> str:
    """Why a result of this size cannot be stored beside these; '' if it can."""
    stored = sum(result.bytes for result in results)
    if stored + size <= limits.bytes:
        return ""
    return f"the vault has used {stored:,} of {limits.bytes:,} bytes, all within the last hour"
