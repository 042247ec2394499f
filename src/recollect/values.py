"""Values: frozen, slotted, equal when their fields are. Cheap to define, because a prompt waits for it.

The rule: a module that a hook loads uses `Frozen`; every other module uses frozen, slotted dataclasses. A
dataclass generates and compiles code for each class, half a millisecond each, and importing `dataclasses`
takes 12 ms more; a hook loads some thirty classes. Checkers see both alike. `tests/hook/test_light.py`
fails when a hook loads `dataclasses`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar, dataclass_transform

    _Value = TypeVar("_Value")
else:

    def dataclass_transform(**_told):
        return lambda kind: kind


@dataclass_transform(frozen_default=True)
class _Kind(type):
    """What makes a class of annotated fields one of values."""

    def __new__(cls, name: str, bases: tuple[type, ...], told: dict[str, Any]) -> _Kind:
        names = tuple(told.get("__annotations__", ()))
        defaults = {name: told.pop(name) for name in names if name in told}
        setters: list[Callable[[Any, Any], None]] = []
        told["__slots__"] = told["__match_args__"] = names
        if names:
            told["__init__"] = _initialiser(names, defaults, setters)
        made = super().__new__(cls, name, bases, told)
        setters += [vars(made)[name].__set__ for name in names]
        return made


class Frozen(metaclass=_Kind):
    """The base of all values. Defaults must be immutable: all share them."""

    def __setattr__(self, name: str, _held: object) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be set: a value does not change")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be deleted: a value does not change")

    def __eq__(self, other: object) -> bool:
        return _held(self) == _held(other) if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        return hash(_held(self))

    def __repr__(self) -> str:
        names: tuple[str, ...] = type(self).__match_args__
        held = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({held})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), _held(self)


def replaced(of: _Value, **changes: Any) -> _Value:
    """A copy with some fields changed."""
    told: Any = of
    return type(of)(**{name: getattr(told, name) for name in told.__match_args__} | changes)


def _held(of: Any) -> tuple[Any, ...]:
    return tuple([getattr(of, name) for name in of.__match_args__])


def _initialiser(
    names: tuple[str, ...], defaults: dict[str, Any], setters: list[Callable[[Any, Any], None]]
) -> Callable[..., None]:
    count = len(names)

    def initialise(self: Any, *given: Any, **named: Any) -> None:
        if named or len(given) != count:
            given = _completed(type(self), names, defaults, given, named)
        for put, held in zip(setters, given):  # noqa: B905 - as long as each other, and this is hot
            put(self, held)

    return initialise


def _completed(
    cls: type, names: tuple[str, ...], defaults: dict[str, Any], given: tuple[Any, ...], named: Any
) -> tuple[Any, ...]:
    """Positional, named and default arguments in the order of the fields."""
    if len(given) > len(names):
        raise TypeError(f"{cls.__name__} takes {len(names)} values, not {len(given)}")
    told = defaults | dict(zip(names, given, strict=False)) | named
    if len(told) != len(names) or not named.keys().isdisjoint(names[: len(given)]):
        raise TypeError(
            f"{cls.__name__} takes {', '.join(names)}; it was given {given!r} and {named!r}"
        )
    try:
        return tuple([told[name] for name in names])
    except KeyError as missing:
        raise TypeError(f"{cls.__name__} was not given {missing}") from None
