"""The project that a hook runs in: its memory root, the user's, and the settings."""

from __future__ import annotations

import os

from recollect import config as configuration
from recollect.hook.process import patience
from recollect.paths import (
    CONFIG_NAME,
    INDEX_NAME,
    STATE_FOLDER,
    TEAM_COPY,
    data_folder,
    nearest_root,
    user_config,
)
from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from recollect.config import Config


class ProjectPaths(Frozen):
    """A project with a memory, and the user's own memories beside it. Paths are absolute.

    `search_skill` is what the harness calls its skill for searching; '' where there is none.
    """

    folder: str
    root: str
    shown: str
    user_root: str
    config: Config
    patience: float = 1.0
    search_skill: str = ""

    @property
    def memory_root(self) -> str:
        """Where memory files are: the root, or this machine's copy of a team's database."""
        return os.path.join(self.state, TEAM_COPY) if self.config.database else self.root

    @property
    def shown_memory_root(self) -> str:
        """The folder of memory files as people refer to it."""
        copy = f"{self.shown}/{STATE_FOLDER}/{TEAM_COPY}"
        return copy if self.config.database else self.shown

    @property
    def index_file(self) -> str:
        """The path of the index of the memory files."""
        return os.path.join(self.memory_root, STATE_FOLDER, INDEX_NAME)

    @property
    def state(self) -> str:
        """Where the project's databases are."""
        return os.path.join(self.root, STATE_FOLDER)

    @property
    def pending_calls(self) -> str:
        """Where tool calls wait that could not be recorded: in the user's data folder."""
        return os.path.join(os.path.dirname(self.user_root), "pending-calls")

    @property
    def noted_prompts(self) -> str:
        """Where prompts are noted that a pause of their session looks at: in the user's data folder."""
        return os.path.join(os.path.dirname(self.user_root), "noted-prompts")

    def state_file(self, name: str) -> str:
        """The path of a file in the state folder."""
        return os.path.join(self.root, STATE_FOLDER, name)


def find_project(folder: str, env: Mapping[str, str]) -> ProjectPaths | None:
    """The project that `folder` is in; None when it has no memory root."""
    start = os.path.realpath(folder or ".")
    user_file = user_config(env)
    config = configuration.load(env, user_file)
    root = config.memory_root
    if os.path.isabs(root):
        folders = (start, os.path.realpath(root)) if os.path.isdir(root) else None
    else:
        folders = nearest_root(start, root)
    if folders is None or os.path.islink(os.path.join(folders[1], STATE_FOLDER)):
        return None  # databases behind a link may be another user's
    project_file = os.path.join(folders[1], CONFIG_NAME)
    if os.path.lexists(project_file):
        config = configuration.load(env, user_file, project_file)
    user_root = os.path.join(data_folder(env), "memory")
    return ProjectPaths(*folders, root, user_root, config, patience(env))
