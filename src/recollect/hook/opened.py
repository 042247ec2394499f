"""Databases that a hook opens and leaves open.

Closing the last connection folds a database's log into it, which would cost a prompt more than its own
write does. The process ends in a moment, and whoever opens it next finds the log.
"""

from __future__ import annotations

from recollect.storage.sqlite.state import NAME, State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.hook.place import Place

# Seconds that a hook waits for whoever writes, so that it can tell of that before its deadline. An answer
# waits less: there are things to say without the state.
LONGEST, PATIENCE = 0.7, 0.35
_OPEN: list[object] = []


def left_open(opened: object) -> None:
    """Keep a connection until the process ends."""
    _OPEN.append(opened)


def open_state(place: Place, wait: float = LONGEST) -> State:
    """The bookkeeping of the project's sessions; it waits so many seconds for others."""
    state = State(place.kept(NAME), wait)
    left_open(state)
    return state


def no_state() -> State:
    """Bookkeeping that is kept nowhere, for an answer that must not wait for what cannot be written."""
    state = State(":memory:")
    left_open(state)
    return state
