"""Reading the configuration of a folder, and changing a configuration file."""

import json
import os
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from recollect import paths
from recollect.clock import to_text
from recollect.config import MOST_BYTES, SETTINGS, WHOLE_FILE, Config, load, plain, read_file
from recollect.config.misspelt import UnknownKey, misspelt, nearest_key
from recollect.config.plugin_keys import without_meaning
from recollect.config.section import ConfigProblem
from recollect.errors import InvalidConfigError, NoProjectError, OutsideRootError
from recollect.storage import project as projects
from recollect.storage.files import atomic
from recollect.storage.private import make_folder

_MOST_DAYS = 36_500  # of a retention; a century is no limit


def config_of_folder(start: Path | str = ".", *, env: Mapping[str, str] = os.environ) -> Config:
    """The configuration that applies in a folder; without a project, the user's."""
    user_file = paths.user_config(env)
    config = load(env, user_file)
    try:
        project = projects.locate(Path(start), config.memory_root)
    except (NoProjectError, OutsideRootError):
        return config
    return load(env, user_file, str(project.root.path / paths.CONFIG_NAME))


def refusal(config: Config) -> str:
    """Why nothing may be written with this configuration; '' if its values are all accepted."""
    if not config.problems:
        return ""
    values = " ".join(str(problem) for problem in config.problems)
    remedies = dict.fromkeys(_remedy(problem) for problem in config.problems)
    return f"{values} Nothing can be written until this is fixed: {'; '.join(remedies)}."


def _remedy(problem: ConfigProblem) -> str:
    if problem.origin.startswith("$"):
        return f"change or unset {problem.origin}"
    user = " --user" if problem.origin == paths.user_config(os.environ) else ""
    if problem.key == WHOLE_FILE:
        return f"correct it, or `recollect config KEY VALUE{user}` moves it aside and writes a new one"
    return f"`recollect config {problem.key} VALUE{user}`"


def check_writable(config: Config) -> None:
    """Raise InvalidConfigError if a value was not accepted: what is written might not be what was meant."""
    if reason := refusal(config):
        raise InvalidConfigError(reason)


def unknown_keys(root: Path, env: Mapping[str, str] = os.environ) -> list[UnknownKey]:
    """The probably misspelt keys of a root's configuration file, the user's file and the environment."""
    return misspelt(env, paths.user_config(env), str(root / paths.CONFIG_NAME))


def adoption_notes(root: Path, config: Config) -> list[str]:
    """What a user of the claude-memory plugin should know about the configuration file of a root."""
    notes = []
    if config.chosen_strategy == "title_tags":
        origin = config.origin("retrieval.match_strategy")
        notes.append(
            f"retrieval.match_strategy is title_tags (from {origin}): prompts and searches use the "
            "earlier keyword scorer. `recollect config retrieval.match_strategy fts5_bm25` ranks by "
            "words; `hybrid` ranks by words and by meaning"
        )
    file = str(root / paths.CONFIG_NAME)
    try:
        unread = without_meaning(read_file(file))
    except InvalidConfigError:
        unread = []  # loading the configuration reports it
    if unread:
        notes.append(
            f"{file} has settings of the claude-memory plugin that have no effect here: "
            f"{', '.join(unread)}"
        )
    return notes


def retained_since(config: Config, now: datetime) -> tuple[tuple[str, str], ...]:
    """The categories with a retention, and since when a memory of each must have changed to be injected."""
    return config.categories.retained_since(
        lambda days: to_text(now - timedelta(days=min(days, _MOST_DAYS)))
    )


def set_value(path: Path, key: str, value: str, *, private: bool) -> Path | None:
    """Set one key of a configuration file; everything else in it stays. The user's own is private.

    A file that is not one JSON object is moved aside first; returns where it is then.
    """
    if private:
        make_folder(path.parent)
        path = path.parent.resolve() / path.name  # links on the way to it are the user's own
    before = paths.read_plain(str(path), MOST_BYTES) if path.exists() else b""
    aside = None if _is_object(before) else path.with_name(f"{path.name}.unreadable")
    after = _with_value("" if aside else before.decode("utf-8-sig"), key, value)
    if aside:
        atomic.write(aside, before, str(aside), private=private)
    atomic.write(path, after.encode(), str(path), private=private)
    return aside


def _is_object(data: bytes) -> bool:
    """Whether the data can be changed by key: one JSON object, or nothing at all."""
    try:
        return not data or isinstance(json.loads(data.decode("utf-8-sig")), dict)
    except (ValueError, RecursionError):
        return False


def _with_value(text: str, key: str, value: str) -> str:
    if key not in SETTINGS:
        hint = f" did you mean {nearest}?" if (nearest := nearest_key(key)) else ""
        raise InvalidConfigError(
            f"there is no setting {key!r};{hint} `recollect config` lists them: {', '.join(SETTINGS)}."
        )
    content: Any = json.loads(text or "{}")
    section = content
    *parents, name = key.split(".")
    for part in parents:
        section = section.setdefault(part, {})
        if not isinstance(section, dict):
            raise InvalidConfigError(f"{part!r} in the configuration must be an object.")
    section[name] = plain(SETTINGS[key].parse(key, value, "the command line"))
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"
