"""Values: frozen, slotted, compared by their fields. Cheap to define, because a prompt waits for it.

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

    def dataclass_transform(**_options):
        return lambda kind: kind


@dataclass_transform(frozen_default=True)
class _Kind(type):
    """The metaclass that gives a class of annotated fields slots, an initialiser and match arguments."""

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> _Kind:
        names = tuple(namespace.get("__annotations__", ()))
        defaults = {name: namespace.pop(name) for name in names if name in namespace}
        setters: list[Callable[[Any, Any], None]] = []
        namespace["__slots__"] = namespace["__match_args__"] = names
        if names:
            namespace["__init__"] = _initialiser(names, defaults, setters)
        kind = super().__new__(cls, name, bases, namespace)
        setters += [vars(kind)[name].__set__ for name in names]
        return kind


class Frozen(metaclass=_Kind):
    """The base of all values. Defaults must be immutable, because all instances share them."""

    def __setattr__(self, name: str, _value: object) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be set: a value is immutable")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be deleted: a value is immutable")

    def __eq__(self, other: object) -> bool:
        return _fields(self) == _fields(other) if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        return hash(_fields(self))

    def __repr__(self) -> str:
        names: tuple[str, ...] = type(self).__match_args__
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({fields})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), _fields(self)


def replaced(value: _Value, **changes: Any) -> _Value:
    """A copy with some fields changed."""
    original: Any = value
    fields = {name: getattr(original, name) for name in original.__match_args__}
    return type(value)(**fields | changes)


def _fields(value: Any) -> tuple[Any, ...]:
    return tuple([getattr(value, name) for name in value.__match_args__])


def _initialiser(
    names: tuple[str, ...], defaults: dict[str, Any], setters: list[Callable[[Any, Any], None]]
) -> Callable[..., None]:
    count = len(names)

    def initialise(self: Any, *values: Any, **named: Any) -> None:
        if named or len(values) != count:
            values = _completed(type(self), names, defaults, values, named)
        for put, value in zip(setters, values):  # noqa: B905 - equal lengths, and this is hot
            put(self, value)

    return initialise


def _completed(
    cls: type, names: tuple[str, ...], defaults: dict[str, Any], values: tuple[Any, ...], named: Any
) -> tuple[Any, ...]:
    """Positional, named and default arguments in the order of the fields."""
    if len(values) > len(names):
        raise TypeError(f"{cls.__name__} takes {len(names)} values, not {len(values)}")
    by_name = defaults | dict(zip(names, values, strict=False)) | named
    if len(by_name) != len(names) or not named.keys().isdisjoint(names[: len(values)]):
        raise TypeError(f"{cls.__name__} takes {', '.join(names)}; it got {values!r} and {named!r}")
    try:
        return tuple([by_name[name] for name in names])
    except KeyError as missing:
        raise TypeError(f"{cls.__name__} lacks {missing}") from None
