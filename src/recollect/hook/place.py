"""Where a hook finds itself: the project's root and the user's, and the few settings it needs."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from recollect import config as configuration
from recollect.config import Config
from recollect.storage.files.root import MemoryRoot


@dataclass(frozen=True, slots=True)
class Place:
    """A project with a memory, and the user's own memories beside it."""

    folder: Path
    root: MemoryRoot
    user_root: MemoryRoot
    config: Config


def find_place(folder: str, env: Mapping[str, str]) -> Place | None:
    """The project that `folder` is in; None when it has no memory, which is not an error."""
    start = Path(os.path.realpath(folder or "."))
    user_file = configuration.user_file(env)
    root = configuration.load(env, user_file).text("memory_root")
    if os.path.isabs(root):  # noqa: PTH117
        found = (start, MemoryRoot(Path(root), root)) if os.path.isdir(root) else None  # noqa: PTH112
    else:
        found = MemoryRoot.above(start, root)
    if found is None:
        return None
    config = configuration.load(env, user_file, found[1].path / configuration.FILE_NAME)
    data = configuration.data_folder(env) / "memory"
    return Place(*found, MemoryRoot(data, str(data)), config)
