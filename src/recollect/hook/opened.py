"""Databases that a hook opens and leaves open.

Closing the last connection folds a database's log into it, which would cost a prompt more than its own
write does. The process ends in a moment, and whoever opens it next finds the log.
"""

from __future__ import annotations

from recollect.storage.sqlite.kept import BUSY_SECONDS
from recollect.storage.sqlite.state import NAME, State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.hook.place import Place

# Seconds that an answer waits for whoever writes; what it can say without the state takes less than the rest.
PATIENCE = 0.35
_OPEN: list[object] = []


def left_open(opened: object) -> None:
    """Keep a connection until the process ends."""
    _OPEN.append(opened)


def open_state(place: Place, wait: float = BUSY_SECONDS) -> State:
    """The bookkeeping of the project's sessions; it waits so many seconds for others."""
    state = State(place.kept(NAME), wait)
    left_open(state)
    return state


def no_state() -> State:
    """Bookkeeping that is kept nowhere, for an answer that must not wait for what cannot be written."""
    state = State(":memory:")
    left_open(state)
    return state
