"""The composition root: configuration and a folder in, a working Recollect out.

The only place that joins ports and adapters. Doors ask it for what they need.
"""

from recollect.app.models import UserModels, open_models
from recollect.app.opening import (
    hook_command,
    init_project,
    merge_files,
    open_corpus,
    open_project,
)
from recollect.app.project import Recollect, Shelf

__all__ = [
    "Recollect",
    "Shelf",
    "UserModels",
    "hook_command",
    "init_project",
    "merge_files",
    "open_corpus",
    "open_models",
    "open_project",
]
