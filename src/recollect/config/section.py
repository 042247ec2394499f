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

_FLAGS = {"1": True, "true": True, "on": True, "yes": True}
_FLAGS |= {"0": False, "false": False, "off": False, "no": False}
_SHOWN_LENGTH = 60  # characters of a value that a message shows


class ConfigProblem(Frozen):
    """A value that a setting does not accept: the setting has its default instead."""

    key: str
    value: str  # as Python writes it, shortened
    origin: str
    allowed: str

    def __str__(self) -> str:
        return f"{self.key} must be {self.allowed}, not {self.value} (from {self.origin})."


class Setting(Frozen):
    """One declared setting; its name is the attribute that holds it."""

    default: Any
    env: str
    help: str
    bounds: tuple[int, int | None]
    choices: tuple[str, ...]
    in_project_file: bool

    def value(self, raw: object) -> str | int | None:
        """The value that `raw` stands for; None if the setting does not accept it."""
        if isinstance(self.default, bool):
            return _flag(raw)
        if isinstance(self.default, str):
            accepted = isinstance(raw, str) and (raw in self.choices if self.choices else raw != "")
            return str(raw) if accepted else None
        number, (least, most) = _number(raw), self.bounds
        return int(number) if number >= least and (most is None or number <= most) else None

    @property
    def allowed(self) -> str:
        """What the setting accepts, in words."""
        if isinstance(self.default, bool):
            return "true, false, on, off, yes, no, 1 or 0"
        if isinstance(self.default, str):
            return f"one of {', '.join(self.choices)}" if self.choices else "text"
        least, most = self.bounds
        return f"a number from {least}" + ("" if most is None else f" to {most}")

    def problem(self, key: str, raw: object, origin: str) -> ConfigProblem:
        """The problem of a value that the setting does not accept."""
        shown = repr(raw)
        if len(shown) > _SHOWN_LENGTH:
            shown = f"{shown[:_SHOWN_LENGTH]}..."
        return ConfigProblem(key, shown, origin, self.allowed)

    def parse(self, key: str, raw: object, origin: str) -> str | int:
        """Parse `raw`. Raises InvalidConfigError that names key, value and origin."""
        value = self.value(raw)
        if value is None:
            raise invalid(str(self.problem(key, raw, origin)))
        return value


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
        raise AttributeError(
            f"{name!r} cannot be set: the configuration cannot change once it is loaded"
        )


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
    """The arguments that make a section of the values of its keys. A section without any is the default."""
    arguments: dict[str, Any] = {}
    for name, entry in vars(section).items():
        if isinstance(entry, ConfigSection):
            inner = filled(type(entry), values, f"{prefix}{name}.")
            arguments[name] = type(entry)(**inner) if inner else entry
        elif prefix + name in values:
            arguments[name] = values[prefix + name]
    return arguments


def _flag(raw: object) -> bool | None:
    """`raw` as a flag; None if it is not one."""
    if isinstance(raw, bool):
        return raw
    text = f"{raw:g}" if isinstance(raw, int | float) else raw
    return _FLAGS.get(text.strip().lower()) if isinstance(text, str) else None


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
