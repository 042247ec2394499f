"""The rules about upstream tools that hold for a client in a folder: the user's, and those of harnesses."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

from recollect import paths
from recollect.agents.harness import Harness
from recollect.agents.harnesses import all_harnesses
from recollect.gateway.policy import Effect, PolicyRule, restrictions

_MOST_BYTES = 4 * 1024 * 1024  # of a harness's settings


def harness_rules(folder: Path, env: Mapping[str, str], client: str) -> list[PolicyRule]:
    """Rules of the harness that `client` is; of every harness if it is none that we know.

    Files are read anew, so that a rule acts at once. What stands in the project may forbid, not permit.
    """
    known = [harness for harness in all_harnesses() if harness.name.split("-")[0] in client.lower()]
    return [rule for harness in known or all_harnesses() for rule in _rules(harness, folder, env)]


def _rules(harness: Harness, folder: Path, env: Mapping[str, str]) -> Iterator[PolicyRule]:
    if harness.permissions is None:
        return
    for own in harness.presence.user_folders(paths.home(env), env):
        for name in harness.permissions.files(own):
            rules = _parsed(harness, folder / name, name)
            yield from rules if Path(name).is_absolute() else restrictions(rules)


def _parsed(harness: Harness, path: Path, name: str) -> Sequence[PolicyRule]:
    assert harness.permissions is not None
    try:
        text = paths.read_plain(str(path), _MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ()
    source = f"{harness.name}, {name}"
    return [
        PolicyRule(cast(Effect, effect), pattern, source, unless)
        for effect, pattern, unless in harness.permissions.rules(text)
    ]
