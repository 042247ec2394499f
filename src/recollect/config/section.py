"""Settings and the sections that group them.

A setting is declared once, as a class attribute of its section: type, default, environment variable, help and
bounds. An instance of the section holds the values. No dataclasses: a hook loads this on every prompt.
"""

from __future__ import annotations

from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, TypeAlias, TypeVar

    from recollect.errors import InvalidConfigError

    _T = TypeVar("_T")
    FileLists: TypeAlias = tuple[tuple[str, Any], ...]


class Setting(Frozen):
    """One declared setting; its name is the attribute that holds it."""

    default: Any
    env: str
    help: str
    bounds: tuple[int, int | None]
    choices: tuple[str, ...]
    in_project_file: bool

    def parse(self, key: str, raw: object, origin: str) -> str | int:
        """Parse `raw`. Raises InvalidConfigError that names key, value and origin."""
        expected = "text"
        if not isinstance(self.default, str):
            number, (least, most) = _number(raw), self.bounds
            if number >= least and (most is None or number <= most):
                return bool(number >= 1) if isinstance(self.default, bool) else int(number)
            expected = f"a number from {least}" + ("" if most is None else f" to {most}")
        elif self.choices:
            if isinstance(raw, str) and raw in self.choices:
                return raw
            expected = f"one of {', '.join(self.choices)}"
        elif isinstance(raw, str) and raw:
            return raw
        raise invalid(f"{key} must be {expected}, not {raw!r} (from {origin}).")


class FileList(Frozen):
    """A declared list that only files can have. The code that uses it checks its content."""

    help: str


class ConfigSection:
    """A group of settings and sections, frozen. What is not passed has its default."""

    def __init__(self, **values: Any) -> None:
        for name, setting in vars(type(self)).items():
            if name in values:
                continue
            if isinstance(setting, Setting):
                values[name] = setting.default
            elif isinstance(setting, FileList):
                values[name] = ()
        self.__dict__.update(values)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{name!r} cannot be set: configuration does not change once it is loaded")


def setting(
    default: _T,
    env: str,
    help: str,
    *,
    bounds: tuple[int, int | None] = (0, None),
    choices: tuple[str, ...] = (),
    in_project_file: bool = True,
) -> _T:
    """Declare a setting; an instance of its section holds a value of the default's type instead."""
    bounds = (0, 1) if isinstance(default, bool) else bounds
    declared: Any = Setting(default, env, help, bounds, choices, in_project_file)
    return declared  # type: ignore[no-any-return]


def file_lists(help: str) -> FileLists:
    """Declare a list that project and user file add up to: (origin, value) each, the project's first."""
    declared: Any = FileList(help)
    return declared  # type: ignore[no-any-return]


def declared(
    section: type[ConfigSection], prefix: str = ""
) -> Iterator[tuple[str, Setting | FileList]]:
    """Every key of a section and of those in it, in the order of declaration."""
    for name, entry in vars(section).items():
        if isinstance(entry, ConfigSection):
            yield from declared(type(entry), f"{prefix}{name}.")
        elif isinstance(entry, Setting | FileList):
            yield prefix + name, entry


def filled(
    section: type[ConfigSection], values: Mapping[str, object], prefix: str = ""
) -> dict[str, Any]:
    """The arguments that make a section of the values of its keys."""
    arguments: dict[str, Any] = {}
    for name, entry in vars(section).items():
        if isinstance(entry, ConfigSection):
            arguments[name] = type(entry)(**filled(type(entry), values, f"{prefix}{name}."))
        elif prefix + name in values:
            arguments[name] = values[prefix + name]
    return arguments


def _number(raw: object) -> float:
    """`raw` as a number; NaN if it is not one, which fails every bound."""
    if isinstance(raw, str | int | float) and not isinstance(raw, bool):
        try:
            number = float(raw)
        except (ValueError, OverflowError):
            return float("nan")
        return number if abs(number) != float("inf") else float("nan")
    return float("nan")


def invalid(message: str) -> InvalidConfigError:
    from recollect.errors import InvalidConfigError  # a valid configuration does not load it

    return InvalidConfigError(message)
