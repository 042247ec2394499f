"""Attention: how much an item matters now. All formulas are here.

Time is counted in events, not in minutes, so a pause of a day changes nothing.
"""

from __future__ import annotations

EVENTS = 2**31  # the counter wraps around here
DECAY = 0.85  # factor for each event
MENTION = 0.05  # added for each mention
EVICTED = 0.01  # an item below this leaves; checked before the floor applies
FLOOR, CEILING = 0.05, 1.0
CAPACITY = 7  # items of one session


def next_event(now: int) -> int:
    """The number of the event after this one."""
    return (now + 1) % EVENTS


def elapsed(now: int, last: int) -> int:
    """How many events ago `last` was, also when the counter has wrapped around since."""
    return (now - last + EVENTS) % EVENTS


def raw(base: float, events: int, mentions: int) -> float:
    """The attention of an item after so many events and mentions, before bounds."""
    return base * DECAY**events + MENTION * mentions


def attention(base: float, events: int, mentions: int) -> float | None:
    """The attention of an item, from 0.05 to 1; None when it has faded away."""
    score = raw(base, events, mentions)
    return None if score < EVICTED else min(max(score, FLOOR), CEILING)
