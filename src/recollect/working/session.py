"""Working memory: what a session is about just now. States in, states out; nothing is changed in place.

At most seven items. Whatever leaves is handed back with the reason, so that it can be shown.
"""

from __future__ import annotations

from recollect.values import Frozen, replaced
from recollect.working.attention import CAPACITY, attention, elapsed, next_event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FADED = "faded"  # too many events ago
CROWDED_OUT = "crowded out"  # the least of eight
REPLACED = "replaced"  # the same thing says something else now
RESOLVED = "resolved"  # its command has succeeded since


class Provenance(Frozen):
    """Where an item comes from: the tool, the rule that kept it, the event, and the gate's word."""

    tool: str
    rule: str
    event: int
    redaction_applied: bool = False


class Item(Frozen):
    """One thing of working memory. `base` and `last` are its attention when it was last seen, and when.

    `fingerprint` names an error whatever its line numbers say, `command` what brought it about.
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
        return attention(self.base, elapsed(now, self.last), self.mentions)


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
        """The items with their attention, the most first; of equals the one seen last."""
        found = [(item, item.attention(self.event) or 0.0) for item in self.items]
        return sorted(
            found, key=lambda one: (-one[1], elapsed(self.event, one[0].last), one[0].content)
        )


class Change(Frozen):
    """What a transition led to, and what left on the way."""

    memory: WorkingMemory
    faded: tuple[Faded, ...] = ()


def advance(memory: WorkingMemory) -> Change:
    """One event later: what has faded away leaves."""
    event = next_event(memory.event)
    return _without(replaced(memory, event=event), lambda item: item.attention(event) is None, FADED)


def add(memory: WorkingMemory, new: Item) -> Change:
    """Take an item in. Seen before, it is refreshed; over capacity, it takes the place of the least."""
    twin = next((item for item in memory.items if item.content == new.content), None)
    if twin is not None:
        fresh = replaced(new, base=max(twin.base, new.base), mentions=twin.mentions)
        kept = tuple(fresh if item is twin else item for item in memory.items)
        return Change(replaced(memory, items=kept))
    change = _without(memory, lambda item: _outdated(item, new), REPLACED)
    ranked = change.memory.ranked()
    if len(ranked) < CAPACITY:
        return Change(_with(change.memory, new), change.faded)
    least = ranked[-1][0]
    room = _without(change.memory, lambda item: item is least, CROWDED_OUT)
    return Change(_with(room.memory, new), change.faded + room.faded)


def mention(memory: WorkingMemory, contents: Iterable[str]) -> WorkingMemory:
    """The items of these contents were spoken of."""
    named = frozenset(contents)
    items = tuple(
        replaced(item, mentions=item.mentions + 1) if item.content in named else item
        for item in memory.items
    )
    return replaced(memory, items=items)


def resolve(memory: WorkingMemory, command: str) -> Change:
    """A command has succeeded: what it had failed with is no longer going on."""
    return _without(memory, lambda item: bool(item.fingerprint) and item.command == command, RESOLVED)


def _outdated(item: Item, new: Item) -> bool:
    """Whether `new` tells of the same error, or how the same command fares now."""
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
