"""Every setting, read in one place: environment > project file > user file > default.

The files are JSON (`memory-config.json`); keys are nested objects, written here with dots. Keys that
this version does not know are left alone: other tools keep theirs in the same file.
"""

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recollect.errors import InvalidConfigError

FILE_NAME = "memory-config.json"
DEFAULT_ROOT = ".claude/memory"
HOOK_LOG = "hook.log"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its key, its default, the environment variable that overrides it, what it does."""

    key: str
    default: str | int | float
    env: str
    help: str
    least: int | float = 0
    most: int | float | None = None
    choices: tuple[str, ...] = ()


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "memory_root",
        DEFAULT_ROOT,
        "RECOLLECT_ROOT",
        "the memory root, relative to the project; set by environment or user file only",
    ),
    Setting(
        "categories.session_summary.retention_days",
        90,
        "RECOLLECT_SESSION_RETENTION_DAYS",
        "days a session summary stays active; 0 keeps it",
    ),
    Setting(
        "categories.session_summary.max_retained",
        5,
        "RECOLLECT_SESSION_MAX_RETAINED",
        "how many session summaries stay active; 0 keeps all",
    ),
    *(
        Setting(
            f"categories.{category}.retention_days",
            0,
            f"RECOLLECT_{category.upper()}_RETENTION_DAYS",
            f"days a {category.replace('_', ' ')} stays active; 0 keeps it",
        )
        for category in ("decision", "constraint", "preference", "runbook", "tech_debt")
    ),
    Setting(
        "retrieval.match_strategy",
        "fts5_bm25",
        "RECOLLECT_MATCH_STRATEGY",
        "how memories are matched to a prompt: fts5_bm25, hybrid or title_tags",
        choices=("fts5_bm25", "hybrid", "title_tags"),
    ),
    Setting(
        "retrieval.max_inject",
        3,
        "RECOLLECT_MAX_INJECT",
        "how many memories a prompt is given at most; 0 gives none",
        most=20,
    ),
    Setting(
        "retrieval.fusion",
        "score",
        "RECOLLECT_FUSION",
        "how rankings are joined: by score or by rank",
        choices=("score", "rank"),
    ),
    Setting(
        "retrieval.model",
        "snowflake-arctic-embed-s",
        "RECOLLECT_MODEL",
        "the embedding model that hybrid search reads with; `recollect model list` shows them",
    ),
    Setting(
        "retrieval.diverse",
        0,
        "RECOLLECT_GRAPH_MMR",
        "1 puts hits in an order that repeats itself less",
        most=1,
    ),
    Setting(
        "delete.grace_period_days",
        30,
        "RECOLLECT_GRACE_PERIOD_DAYS",
        "days a retired memory can be restored before `recollect gc` deletes it",
    ),
    Setting(
        "lock_wait_seconds",
        20,
        "RECOLLECT_LOCK_WAIT_SECONDS",
        "how long a write waits for another writer",
        least=0,
        most=600,
    ),
)
_BY_KEY = {setting.key: setting for setting in SETTINGS}


@dataclass(frozen=True, slots=True)
class Value:
    """A setting's value and where it came from: `default`, a file's path or `$NAME`."""

    setting: Setting
    value: str | int | float
    origin: str


@dataclass(frozen=True, slots=True)
class Config:
    """All values. `number` and `text` read one by its key."""

    values: Mapping[str, Value]

    def number(self, key: str) -> int:
        return int(self.values[key].value)

    def text(self, key: str) -> str:
        return str(self.values[key].value)


def load(
    env: Mapping[str, str], user_file: Path | None = None, project_file: Path | None = None
) -> Config:
    """Read the configuration. A value out of bounds is an error that names its origin."""
    project, user = _read(project_file), _read(user_file)
    values = {}
    for setting in SETTINGS:
        value = Value(setting, setting.default, "default")
        if (found := _dig(user, setting.key)) is not None:
            value = Value(setting, _checked(setting, found, str(user_file)), str(user_file))
        if (found := _dig(project, setting.key)) is not None and setting.key != "memory_root":
            value = Value(setting, _checked(setting, found, str(project_file)), str(project_file))
        if env.get(setting.env):
            origin = f"${setting.env}"
            value = Value(setting, _checked(setting, env[setting.env], origin), origin)
        values[setting.key] = value
    return Config(values)


def _read(path: Path | None) -> dict[str, Any]:
    if path is None:
        return {}
    try:
        found = json.loads(path.read_text("utf-8-sig"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as error:
        raise InvalidConfigError(f"{str(path)!r} cannot be read as JSON: {error}.") from None
    if not isinstance(found, dict):
        raise InvalidConfigError(f"{str(path)!r} must hold one object, as in {{}}.")
    return found


def _dig(found: Mapping[str, Any], key: str) -> Any:
    value: Any = found
    for part in key.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _checked(setting: Setting, value: Any, origin: str) -> str | int | float:
    if isinstance(setting.default, str):
        if isinstance(value, str) and value and (not setting.choices or value in setting.choices):
            return value
        if setting.choices:
            known = ", ".join(setting.choices)
            raise InvalidConfigError(
                f"{setting.key} must be one of {known}, not {value!r} (from {origin})."
            )
        raise InvalidConfigError(f"{setting.key} must be text, not {value!r} (from {origin}).")
    try:
        number = float(value) if not isinstance(value, bool) else float("nan")
    except (TypeError, ValueError):
        number = float("nan")
    if setting.least <= number and (setting.most is None or number <= setting.most):
        return int(number) if number == int(number) else number
    upper = "" if setting.most is None else f" to {setting.most}"
    raise InvalidConfigError(
        f"{setting.key} must be a number from {setting.least}{upper}, not {value!r} (from {origin})."
    )


def with_value(text: str, key: str, value: str) -> str:
    """The text of a configuration file with one key set, everything else as it was."""
    if key not in _BY_KEY:
        raise InvalidConfigError(
            f"there is no setting {key!r}; `recollect config` lists them: {', '.join(_BY_KEY)}."
        )
    found: Any = json.loads(text or "{}")
    place = found
    *parents, last = key.split(".")
    for part in parents:
        place = place.setdefault(part, {})
        if not isinstance(place, dict):
            raise InvalidConfigError(f"{part!r} in the configuration must be an object.")
    place[last] = _checked(_BY_KEY[key], value, "the command line")
    return json.dumps(found, ensure_ascii=False, indent=2) + "\n"


def data_folder(env: Mapping[str, str]) -> Path:
    """Where the platform keeps a user's data; user-level memories live below it."""
    if override := env.get("RECOLLECT_HOME"):
        return Path(override)
    if xdg := env.get("XDG_DATA_HOME"):
        return Path(xdg) / "recollect"
    if sys.platform == "darwin":
        return home(env) / "Library" / "Application Support" / "recollect"
    return home(env) / ".local" / "share" / "recollect"


def cache_folder(env: Mapping[str, str]) -> Path:
    """Where the platform keeps what can be fetched again: embedding models."""
    if override := env.get("RECOLLECT_HOME"):
        return Path(override) / "cache"
    if xdg := env.get("XDG_CACHE_HOME"):
        return Path(xdg) / "recollect"
    if sys.platform == "darwin":
        return home(env) / "Library" / "Caches" / "recollect"
    return home(env) / ".cache" / "recollect"


def hook_log(env: Mapping[str, str]) -> Path:
    """Where hooks note what went wrong."""
    return data_folder(env) / HOOK_LOG


def user_file(env: Mapping[str, str]) -> Path:
    """The user's own configuration file."""
    return data_folder(env) / FILE_NAME


def home(env: Mapping[str, str]) -> Path:
    """The user's home folder; found without HOME too."""
    return Path(env.get("HOME") or os.path.expanduser("~"))  # noqa: PTH111 - works without HOME
