"""Values: frozen, slotted, equal when they hold the same. Cheap to define, for a prompt waits for it.

What `@dataclass(frozen=True, slots=True)` gives, without the code it generates and compiles for every
class: half a millisecond each, on top of ten to import it. Hooks load some thirty classes.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar, dataclass_transform

    _Value = TypeVar("_Value")
else:

    def dataclass_transform(**_told):
        return lambda decorator: decorator


@dataclass_transform(frozen_default=True)
def value(cls: type[_Value]) -> type[_Value]:
    """Make a value of a class with annotated fields. Defaults must be immutable: all share them."""
    names = tuple(cls.__annotations__)
    told = dict(vars(cls))
    defaults = {name: told.pop(name) for name in names if name in told}
    for left_over in ("__dict__", "__weakref__"):
        told.pop(left_over, None)
    told |= {"__slots__": names, "__match_args__": names, "__qualname__": cls.__qualname__}
    kind: Any = type(cls)
    made: Any = kind(cls.__name__, cls.__bases__, _METHODS | told)
    made.__init__ = _initialiser(made, names, defaults)
    return made  # type: ignore[no-any-return]


def replaced(of: _Value, **changes: Any) -> _Value:
    """A copy with some fields changed."""
    told: Any = of
    return type(of)(**{name: getattr(told, name) for name in told.__match_args__} | changes)


def _initialiser(cls: type, names: tuple[str, ...], defaults: dict[str, Any]) -> Callable[..., None]:
    setters = [vars(cls)[name].__set__ for name in names]
    count = len(names)

    def initialise(self: Any, *given: Any, **named: Any) -> None:
        if named or len(given) != count:
            given = _completed(cls, names, defaults, given, named)
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


def _held(of: Any) -> tuple[Any, ...]:
    return tuple([getattr(of, name) for name in of.__match_args__])


def _set(self: Any, name: str, _held: Any) -> None:
    raise AttributeError(f"{type(self).__name__}.{name} cannot be set: a value does not change")


def _delete(self: Any, name: str) -> None:
    raise AttributeError(f"{type(self).__name__}.{name} cannot be deleted: a value does not change")


def _equal(self: Any, other: object) -> bool:
    return _held(self) == _held(other) if type(other) is type(self) else NotImplemented


def _hash(self: Any) -> int:
    return hash(_held(self))


def _shown(self: Any) -> str:
    held = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
    return f"{type(self).__qualname__}({held})"


def _packed(self: Any) -> tuple[Any, ...]:
    return type(self), _held(self)


_METHODS = {
    "__setattr__": _set,
    "__delattr__": _delete,
    "__eq__": _equal,
    "__hash__": _hash,
    "__repr__": _shown,
    "__reduce__": _packed,
}
