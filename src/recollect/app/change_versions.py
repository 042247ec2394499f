"""Whether something changed, at the price of a few looks at files: for those who show it live."""

import time
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Literal, get_args

from recollect import paths
from recollect.app.gateway import Gateway
from recollect.app.state_source import (
    StateSource,
    StateVersions,
    Version,
    file_time,
)
from recollect.app.tool_experience import records_root, records_state
from recollect.errors import RecollectError, StoreError
from recollect.retrieval.index_writer import CLOCK_DOUBT
from recollect.storage import project as projects
from recollect.storage.files.root import MemoryRoot
from recollect.storage.sqlite.index_file import files_version, times_of

Topic = Literal["memories", "session", "runs", "tools", "traces", "review"]
TOPICS: tuple[Topic, ...] = get_args(Topic)
_WALK_EVERY = 5.0  # seconds


class ChangeVersions:
    """Versions of what a page shows, by topic. A version that differs means that something may have changed.

    They are times and sizes of files, and counts of a team's database: reading changes none of them. A
    memory that is edited in place, as some editors do and neither Recollect nor git, is noticed later.
    """

    def __init__(self, gateway: Gateway, folder: Path) -> None:
        self._gateway, self._folder = gateway, folder
        self._root: MemoryRoot | None = None
        self._source: StateSource | None = None
        self._files: Version = ()
        self._walked_at, self._walking = float("-inf"), Lock()

    def read(self) -> Mapping[Topic, Version]:
        """The versions now. What is not there has a version as well."""
        memories = (*times_of(self._roots()), *self.files()[:2])
        state = self._state_versions()
        tools = (file_time(self._gateway.file), *self._gateway.stored_version())
        return {
            "memories": memories,
            "session": state.sessions,
            "runs": state.runs,
            "tools": tools + state.traces,
            "traces": state.traces,
            "review": memories + state.review + tools,
        }

    def files(self) -> Version:
        """The version of all memory files together, as of seconds ago: this looks at every file.

        A file that was just written may change again within the same step of the file system's clock, so
        the next version differs. Many threads may ask at once.
        """
        with self._walking:
            if time.monotonic() - self._walked_at >= _WALK_EVERY:
                now = time.time_ns()
                newest, total = files_version(self._roots())
                in_doubt = (now,) if newest > now - CLOCK_DOUBT else ()
                self._files, self._walked_at = (newest, total, *in_doubt), time.monotonic()
            return self._files

    def _roots(self) -> list[str]:
        root = self._located()
        user = projects.user_root(Path(paths.data_folder(self._gateway.env)))
        return [str(user.path)] if root is None else [str(root.path), str(user.path)]

    def _located(self) -> MemoryRoot | None:
        """The root of the folder, looked for again while there is none."""
        if self._root is None or not self._root.path.is_dir():
            try:
                self._root = records_root(self._gateway, self._folder)
                self._source = records_state(self._gateway, self._folder)
            except (RecollectError, OSError):
                self._root = self._source = None
        return self._root

    def _state_versions(self) -> StateVersions:
        """The versions of what is no memory; a database that does not answer has none."""
        try:
            return StateVersions() if self._source is None else self._source.versions()
        except StoreError:
            return StateVersions()
