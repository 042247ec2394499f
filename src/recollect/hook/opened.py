"""Databases that a hook opens and leaves open.

Closing the last connection folds a database's log into it, which would cost a prompt more than its own
write does. The process ends in a moment, and whoever opens it next finds the log.
"""

from __future__ import annotations

from recollect.storage.sqlite.state import NAME, State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.hook.place import Place

_OPEN: list[object] = []


def left_open(opened: object) -> None:
    """Keep a connection until the process ends."""
    _OPEN.append(opened)


def open_state(place: Place) -> State:
    """The bookkeeping of the project's sessions."""
    state = State(place.kept(NAME))
    left_open(state)
    return state
