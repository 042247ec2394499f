"""The rules about upstream tools that hold for a client in a folder: the user's, and those of harnesses."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import cast

from recollect import paths
from recollect.agents.harness import Harness
from recollect.agents.harnesses import NAMES, get_harness
from recollect.app.file_value import FileValue
from recollect.gateway.policy import Effect, PolicyRule, restrictions

_MOST_BYTES = 4 * 1024 * 1024  # of a harness's settings

_Rules = tuple[PolicyRule, ...]


class HarnessRules:
    """The rules of the user's harnesses for a folder. A rule that is added to a file acts at once.

    What stands in the project may forbid, not permit.
    """

    def __init__(self, folder: Path, env: Mapping[str, str]) -> None:
        self._folder, self._env = folder, env
        self._files: dict[str, list[FileValue[_Rules]]] = {}

    def of(self, client: str) -> _Rules:
        """Rules of the harness that `client` is; of every harness if it is none that we know."""
        known = [name for name in NAMES if name.split("-")[0] in client.lower()]
        return tuple(
            rule for name in known or NAMES for file in self._of_harness(name) for rule in file.get()
        )

    def _of_harness(self, name: str) -> list[FileValue[_Rules]]:
        if name not in self._files:
            self._files[name] = self._watched(get_harness(name))
        return self._files[name]

    def _watched(self, harness: Harness) -> list[FileValue[_Rules]]:
        if harness.permissions is None:
            return []
        return [
            FileValue(str(self._folder / name), partial(_parsed, harness, self._folder / name, name))
            for own in harness.presence.user_folders(paths.home(self._env), self._env)
            for name in harness.permissions.files(own)
        ]


def _parsed(harness: Harness, path: Path, name: str) -> _Rules:
    assert harness.permissions is not None
    try:
        text = paths.read_plain(str(path), _MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ()
    source = f"{harness.name}, {name}"
    rules = [
        PolicyRule(cast(Effect, effect), pattern, source, unless)
        for effect, pattern, unless in harness.permissions.rules(text)
    ]
    return tuple(rules if Path(name).is_absolute() else restrictions(rules))
