"""Working memory: what a session is about just now. States in, states out; nothing is changed in place.

At most seven items. Transitions return what left and why, so that it can be shown. Attention is how much an
item matters now; time is counted in events, not in minutes, so a pause of a day changes nothing.
"""

from __future__ import annotations

from recollect.values import Frozen, replaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

EVENTS = 2**31  # the counter wraps around here
DECAY = 0.85  # factor for each event
MENTION = 0.05  # added by a mention; fades like the rest (docs/decisions/0014)
EVICTED = 0.01  # an item below this leaves; checked before the floor applies
FLOOR, CEILING = 0.05, 1.0
CAPACITY = 7  # items of one session

FADED = "faded"  # too many events ago
CROWDED_OUT = "crowded out"  # the least important of eight
FADED_KEPT = 30  # items that left, of each session
REPLACED = "replaced"  # a newer item about the same error or command
RESOLVED = "resolved"  # its command has succeeded since


def next_event(now: int) -> int:
    """The number of the event after this one."""
    return (now + 1) % EVENTS


def elapsed(now: int, last: int) -> int:
    """How many events ago `last` was, also when the counter has wrapped around since."""
    return (now - last + EVENTS) % EVENTS


def raw(base: float, events: int) -> float:
    """What is left of an attention after so many events, before bounds."""
    return base * DECAY**events


def attention(base: float, events: int) -> float | None:
    """The attention of an item, from 0.05 to 1; None when it has faded away."""
    score = raw(base, events)
    return None if score < EVICTED else min(max(score, FLOOR), CEILING)


class Provenance(Frozen):
    """Where an item comes from: the tool, the rule, the event, and whether it had secrets."""

    tool: str
    rule: str
    event: int
    redaction_applied: bool = False


class Item(Frozen):
    """One item of working memory.

    `base` is its attention when it was last seen or mentioned, at the event `last`. `fingerprint`
    identifies an error regardless of line numbers, `command` is what ended in it.
    """

    content: str
    base: float
    last: int
    provenance: Provenance
    mentions: int = 0
    kind: str = ""
    fingerprint: str = ""
    command: str = ""
    paths: tuple[str, ...] = ()

    def attention(self, now: int) -> float | None:
        """How much it matters at an event; None when it has faded away by then."""
        return attention(self.base, elapsed(now, self.last))


class Faded(Frozen):
    """An item that left, why, and at which event."""

    item: Item
    reason: str
    event: int


class WorkingMemory(Frozen):
    """The items of a session and the number of its last event, which is that of its last tool call."""

    items: tuple[Item, ...] = ()
    event: int = 0

    def ranked(self) -> list[tuple[Item, float]]:
        """The items with their attention, highest first; ties go to the one seen last."""
        levels = [(item, item.attention(self.event) or 0.0) for item in self.items]
        return sorted(
            levels, key=lambda pair: (-pair[1], elapsed(self.event, pair[0].last), pair[0].content)
        )


class Change(Frozen):
    """The result of a transition, and what left on the way."""

    memory: WorkingMemory
    faded: tuple[Faded, ...] = ()


def advance(memory: WorkingMemory) -> Change:
    """One event later: what has faded away leaves."""
    event = next_event(memory.event)
    return _without(replaced(memory, event=event), lambda item: item.attention(event) is None, FADED)


def add(memory: WorkingMemory, new: Item) -> Change:
    """Add an item. One with the same content is refreshed; at capacity, the least important leaves."""
    twin = next((item for item in memory.items if item.content == new.content), None)
    if twin is not None:
        fresh = replaced(new, base=max(twin.base, new.base), mentions=twin.mentions)
        items = tuple(fresh if item is twin else item for item in memory.items)
        return Change(replaced(memory, items=items))
    change = _without(memory, lambda item: _outdated(item, new), REPLACED)
    ranked = change.memory.ranked()
    if len(ranked) < CAPACITY:
        return Change(_with(change.memory, new), change.faded)
    least = ranked[-1][0]
    room = _without(change.memory, lambda item: item is least, CROWDED_OUT)
    return Change(_with(room.memory, new), change.faded + room.faded)


def mention(memory: WorkingMemory, contents: Iterable[str]) -> WorkingMemory:
    """A prompt mentioned the items of these contents. What a mention adds fades from this event on."""
    named = frozenset(contents)
    items = tuple(
        _mentioned(item, memory.event) if item.content in named else item for item in memory.items
    )
    return replaced(memory, items=items)


def resolve(memory: WorkingMemory, command: str) -> Change:
    """A command has succeeded: the items about its failure leave."""
    return _without(memory, lambda item: bool(item.fingerprint) and item.command == command, RESOLVED)


def _mentioned(item: Item, now: int) -> Item:
    base = min(raw(item.base, elapsed(now, item.last)) + MENTION, CEILING)
    return replaced(item, base=base, last=now, mentions=item.mentions + 1)


def _outdated(item: Item, new: Item) -> bool:
    """Whether `new` is about the same error, or a newer result of the same command."""
    same_error = bool(item.fingerprint) and item.fingerprint == new.fingerprint
    return same_error or (bool(item.command) and (item.command, item.kind) == (new.command, new.kind))


def _with(memory: WorkingMemory, item: Item) -> WorkingMemory:
    return replaced(memory, items=(*memory.items, item))


def _without(memory: WorkingMemory, leaves: Callable[[Item], bool], reason: str) -> Change:
    gone = tuple(Faded(item, reason, memory.event) for item in memory.items if leaves(item))
    if not gone:
        return Change(memory)
    return Change(
        replaced(memory, items=tuple(item for item in memory.items if not leaves(item))), gone
    )
