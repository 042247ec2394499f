"""What a user chooses: settings, and embedding models."""

from collections.abc import Iterable
from operator import attrgetter
from typing import TYPE_CHECKING, NotRequired, TypedDict

from recollect.config import SETTINGS, Config, plain
from recollect.config.addresses import without_password

if TYPE_CHECKING:
    from recollect.config.misspelt import UnknownKey
    from recollect.config.section import ConfigProblem


class ConfigRow(TypedDict):
    """One setting: its value, its origin, and what it does."""

    key: str
    value: str | int | float
    origin: str
    help: str


class SettingProblemRow(TypedDict):
    """A value that a setting does not accept, or a key that is probably misspelt (`nearest` is meant).

    `origin` is the file or variable; `allowed` says what the setting accepts.
    """

    key: str
    origin: str
    message: str
    value: NotRequired[str]
    allowed: NotRequired[str]
    nearest: NotRequired[str]


class ConfigOutput(TypedDict):
    """`recollect config`. A setting that is named in `problems` has its default."""

    project: str
    root: str
    settings: list[ConfigRow]
    problems: list[SettingProblemRow]


def problem_rows(
    problems: Iterable["ConfigProblem"], unknown: Iterable["UnknownKey"]
) -> list[SettingProblemRow]:
    """Everything that is wrong with the settings."""
    rows: list[SettingProblemRow] = [
        {
            "key": problem.key,
            "origin": problem.origin,
            "message": str(problem),
            "value": problem.value,
            "allowed": problem.allowed,
        }
        for problem in problems
    ]
    rows += [
        {"key": key.key, "origin": key.origin, "message": str(key), "nearest": key.nearest}
        for key in unknown
    ]
    return rows


def setting_row(config: Config, key: str) -> ConfigRow:
    """The setting of this key."""
    return {
        "key": key,
        "value": _shown(key, plain(attrgetter(key)(config))),
        "origin": config.origin(key),
        "help": SETTINGS[key].help,
    }


def _shown(key: str, value: str | int) -> str | int:
    return (
        without_password(value)
        if key in ("database", "database_replica") and isinstance(value, str)
        else value
    )


class ModelRow(TypedDict):
    """One model. `role` is embedder or reranker; `from_folder`: it can only be installed from a folder."""

    name: str
    role: str
    installed: bool
    damaged: bool
    in_use: bool
    from_folder: bool
    dimensions: int | None
    megabytes: int | None
    licence: str | None
    about: str


class ModelOutput(TypedDict):
    """`recollect model list`, `install`, `use` and `remove`: every model, as it is now."""

    models: list[ModelRow]
    notes: list[str]
