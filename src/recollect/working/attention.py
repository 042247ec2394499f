"""Attention: how much an item matters now. The formulas, all of them, and nothing else.

Counted in events, not in minutes: while nobody works the counter stands still, so a pause of a day
changes nothing.
"""

from __future__ import annotations

EVENTS = 2**31  # the counter begins anew here
DECAY = 0.85  # what is left after each event
MENTION = 0.05  # for each time it was spoken of
EVICTED = 0.01  # below this it is gone; looked at before the floor, which nothing is below
FLOOR, CEILING = 0.05, 1.0
CAPACITY = 7  # items of one session


def next_event(now: int) -> int:
    """The number of the event after this one."""
    return (now + 1) % EVENTS


def elapsed(now: int, last: int) -> int:
    """How many events ago `last` was, also when the counter has begun anew since."""
    return (now - last + EVENTS) % EVENTS


def raw(base: float, events: int, mentions: int) -> float:
    """What an item of this base comes to after so many events and mentions, before any bound."""
    return base * DECAY**events + MENTION * mentions


def attention(base: float, events: int, mentions: int) -> float | None:
    """How much it matters, from 0.05 to 1; None when it has faded away."""
    score = raw(base, events, mentions)
    return None if score < EVICTED else min(max(score, FLOOR), CEILING)
