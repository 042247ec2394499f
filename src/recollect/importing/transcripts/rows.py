"""One row of a transcript, and rows that cannot be read."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recollect.agents.past_events import PastEvent


@dataclass(frozen=True, slots=True)
class TranscriptRow:
    """What a row says, its number (from 1), and its moment as the harness wrote it."""

    line: int
    at: str
    events: Sequence[PastEvent]


@dataclass(frozen=True, slots=True)
class UnreadableRow:
    """A row that is skipped, and why."""

    line: int
    reason: str


Rows = Iterator[TranscriptRow | UnreadableRow]
