"""Acts on memories that several sources offer: retire one, look away from something, and take it back."""

from recollect.app.project import Recollect
from recollect.app.review.source import Dismissals, ReviewOutcome
from recollect.errors import InvalidError, NotFoundError
from recollect.records.json_format import JsonObject
from recollect.records.record import Memory


def dismissals(recollect: Recollect) -> Dismissals:
    """What was dismissed in a project."""
    return recollect.state.dismissals()


def memory_in_force(recollect: Recollect, id: str) -> Memory | None:
    """The memory of that id; None if it is gone, cannot be read, or is no longer in force."""
    try:
        memory = recollect.get(id).memory
    except (NotFoundError, InvalidError):
        return None
    return memory if recollect.force(memory).is_in_force(recollect.now) else None


def retire(recollect: Recollect, id: str, reason: str) -> ReviewOutcome:
    """Take a memory out of use."""
    recollect.home_of(id).retire(id, reason)
    return ReviewOutcome(f"Retired {id}.", {"restore": id})


def dismiss(recollect: Recollect, key: str, text: str) -> ReviewOutcome:
    """Look away from an item until what it is about changes: its key has the version."""
    dismissals(recollect).add(key)
    return ReviewOutcome(text, {"dismissed": key})


def undo(recollect: Recollect, data: JsonObject) -> None:
    """Take back what the acts of this module did."""
    match data:
        case {"restore": str(id)}:
            recollect.home_of(id).restore(id)
        case {"dismissed": str(key)}:
            dismissals(recollect).remove(key)
        case _:
            raise InvalidError("this does not undo any decision about a memory.")
