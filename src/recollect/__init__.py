"""Recollect: the memory of an AI coding agent.

The names a user needs, resolved on first use so that importing the package costs nothing.
"""

TYPE_CHECKING = False  # what checkers take for true; importing it from typing would cost a hook 10 ms
if TYPE_CHECKING:
    from recollect.app.opening import open_project
    from recollect.app.project import Recollect
    from recollect.app.scripting import (
        FoundMemory,
        ProjectMemory,
        Reason,
        SaveResult,
        WhyResult,
        open,  # noqa: A004 - `recollect.open` is how a script says it
        recall,
        remember,
        save,
        search,
        why,
    )
    from recollect.errors import RecollectError
    from recollect.records.categories import Category
    from recollect.records.draft import Draft
    from recollect.records.record import Memory

__version__ = "0.1.0"

__all__ = [
    "Category",
    "Draft",
    "FoundMemory",
    "Memory",
    "ProjectMemory",
    "Reason",
    "Recollect",
    "RecollectError",
    "SaveResult",
    "WhyResult",
    "open",
    "open_project",
    "recall",
    "remember",
    "save",
    "search",
    "why",
]

_SCRIPTING = "recollect.app.scripting"
_HOMES = {
    "Category": "recollect.records.categories",
    "Draft": "recollect.records.draft",
    "FoundMemory": _SCRIPTING,
    "Memory": "recollect.records.record",
    "ProjectMemory": _SCRIPTING,
    "Reason": _SCRIPTING,
    "Recollect": "recollect.app.project",
    "RecollectError": "recollect.errors",
    "SaveResult": _SCRIPTING,
    "WhyResult": _SCRIPTING,
    "open": _SCRIPTING,
    "open_project": "recollect.app.opening",
    "recall": _SCRIPTING,
    "remember": _SCRIPTING,
    "save": _SCRIPTING,
    "search": _SCRIPTING,
    "why": _SCRIPTING,
}


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'recollect' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - only at the first use of a name

    value: object = getattr(import_module(_HOMES[name]), name)
    return value
