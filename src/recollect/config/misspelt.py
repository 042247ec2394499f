"""Keys and variables that are probably misspelt: unknown, and close to one that exists."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from recollect.config import LISTS, SETTINGS, read_file
from recollect.errors import InvalidConfigError

_CUTOFF = 0.75  # likeness of two names; `retention_day` is meant, another tool's `enabled` is not
_PREFIX = "RECOLLECT_"
_KEYS = (*SETTINGS, *LISTS)
_VARIABLES = (
    *(entry.env for entry in SETTINGS.values()),
    *("RECOLLECT_HOME", "RECOLLECT_DEBUG", "RECOLLECT_HOOK_PATIENCE", "RECOLLECT_TOKEN"),
)


@dataclass(frozen=True, slots=True)
class UnknownKey:
    """A key or variable that nothing reads. `nearest` is what was probably meant.

    A section that has no settings in it is one too; `nearest` is then how to write it.
    """

    key: str
    origin: str
    nearest: str

    def __str__(self) -> str:
        if self.nearest.startswith('"'):
            return f"{self.key} must be an object (from {self.origin}), as in {self.nearest}."
        return f"{self.key} is not a setting (from {self.origin}); did you mean {self.nearest}?"


def misspelt(env: Mapping[str, str], *files: str) -> list[UnknownKey]:
    """The probably misspelt keys of these files and variables. Other tools' keys are not named."""
    unknown = [
        UnknownKey(key, file, nearest) for file in files for key, nearest in _in_file(_content(file))
    ]
    for name in env:
        if name.startswith(_PREFIX) and name not in _VARIABLES:
            near = get_close_matches(name, _VARIABLES, 1, _CUTOFF)
            unknown += [UnknownKey(f"${name}", "the environment", f"${variable}") for variable in near]
    return unknown


def nearest_key(key: str) -> str:
    """The setting that an unknown key is closest to; '' if there is none."""
    return next(iter(get_close_matches(key, SETTINGS, 1, _CUTOFF)), "") or _elsewhere(key)


def _content(file: str) -> Mapping[str, Any]:
    try:
        return read_file(file)
    except InvalidConfigError:
        return {}  # reading the configuration reports it


def _in_file(content: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    names = {key.removeprefix(prefix).partition(".")[0] for key in _KEYS if key.startswith(prefix)}
    for name, value in content.items():
        key = prefix + name
        if key in _KEYS:
            continue
        if name not in names:
            near = get_close_matches(name, sorted(names), 1, _CUTOFF)
            meant = prefix + near[0] if near else _of_variable(key) if prefix else _elsewhere(name)
            if meant:
                yield key, meant
        elif isinstance(value, dict):
            yield from _in_file(value, f"{key}.")
        else:
            yield key, f'"{name}": {{"{_first_inside(key)}": ...}}'


def _first_inside(section: str) -> str:
    """The first name in a section."""
    first = next(key for key in _KEYS if key.startswith(f"{section}."))
    return first.removeprefix(f"{section}.").partition(".")[0]


def _of_variable(key: str) -> str:
    """The setting whose variable is spelt as `key`; '' if there is none."""
    variable = _PREFIX + key.replace(".", "_").upper()
    return next((key for key, entry in SETTINGS.items() if entry.env == variable), "")


def _elsewhere(name: str) -> str:
    """The only setting in a section whose last part is `name`; '' if there is none or several."""
    leaf = name.rpartition(".")[2]
    keys = [key for key in SETTINGS if key.endswith(f".{leaf}")]
    return keys[0] if len(keys) == 1 else ""
