"""Paths into JSON: `items[0].name`, `items[*].id`, `rows[10:20]`, `["a key"].x`.

The common core of JSONPath, without filters, functions and descent: each step goes one level down, so that a
path takes time linear in the document. A `$` at the start may be written.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TypeAlias

from recollect.errors import NotFoundError, RefusedError
from recollect.records.json_format import Json

MAX_LENGTH, MAX_STEPS = 1_000, 64
_SHOWN_KEYS = 12


@dataclass(frozen=True, slots=True)
class Every:
    """All elements of a list, or all values of an object."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Some elements of a list, as in Python."""

    start: int | None
    end: int | None


Step: TypeAlias = str | int | Every | Slice
Steps: TypeAlias = tuple[Step, ...]

_STEP = re.compile(
    r"""\.?\[\s*(?P<index>-?\d{1,9})\s*\]
      | \.?\[\s*(?P<start>-?\d{1,9})?\s*:\s*(?P<end>-?\d{1,9})?\s*\]
      | \.?\[\s*(?P<double>"(?:[^"\\]|\\.)*+")\s*\]
      | \.?\['(?P<single>[^']*)'\]
      | \.?(?P<every>\[\s*\*\s*\]|\*)
      | \.?(?P<name>[^\s.\[\]"'*:$][^\s.\[\]"'*:]*)""",
    re.VERBOSE,
)
_PLAIN_NAME = re.compile(r"""[^\s.\[\]"'*:$][^\s.\[\]"'*:]*""")
_FORMS = 'write names with dots, [0], [*], [10:20] or ["a key"], as in items[0].name'


def parse_path(text: str) -> Steps:
    """The steps of a path; none for '' and `$`. Raises RefusedError that says where it is wrong."""
    if len(text) > MAX_LENGTH:
        raise RefusedError(f"the path has {len(text)} characters; at most {MAX_LENGTH} are allowed.")
    path = text.strip()
    at = 1 if path.startswith("$") else 0
    steps: list[Step] = []
    while at < len(path):
        match = _STEP.match(path, at)
        if match is None or (steps and match["name"] is not None and path[at] != "."):
            raise RefusedError(f"the path {text!r} is not valid at {path[at:][:20]!r}; {_FORMS}.")
        steps.append(_step(match))
        at = match.end()
    if len(steps) > MAX_STEPS:
        raise RefusedError(f"the path has {len(steps)} steps; at most {MAX_STEPS} are allowed.")
    return tuple(steps)


def _step(match: re.Match[str]) -> Step:
    if match["index"] is not None:
        return int(match["index"])
    if match["double"] is not None:
        return _unquoted(match["double"])
    if match["single"] is not None:
        return match["single"]
    if match["every"] is not None:
        return Every()
    if match["name"] is not None:
        return match["name"]
    return Slice(*(int(end) if end else None for end in (match["start"], match["end"])))


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1])


def show_path(steps: Sequence[Step]) -> str:
    """A path as text, which `parse_path` reads back; '' for the document itself."""
    parts = [_shown(step) for step in steps]
    return "".join(parts).removeprefix(".")


def _shown(step: Step) -> str:
    match step:
        case str() if _PLAIN_NAME.fullmatch(step):
            return f".{step}"
        case str():
            escaped = step.replace("\\", "\\\\").replace('"', '\\"')
            return f'["{escaped}"]'
        case int():
            return f"[{step}]"
        case Every():
            return "[*]"
        case Slice(start, end):
            return f"[{'' if start is None else start}:{'' if end is None else end}]"


def is_single(steps: Sequence[Step]) -> bool:
    """Whether a path leads to one value at most."""
    return not any(isinstance(step, Every | Slice) for step in steps)


def select(value: Json, steps: Sequence[Step]) -> list[tuple[Steps, Json]]:
    """What a path leads to, each with its own path. Raises NotFoundError when that is nothing.

    After a `[*]` or a slice, elements that lack the rest of the path are left out.
    """
    reached: list[tuple[Steps, Json]] = [((), value)]
    for step in steps:
        below = [pair for steps, value in reached for pair in _below(steps, value, step)]
        if not below:
            raise _missing(*reached[0], step) if reached else NotFoundError("the list is empty.")
        reached = below
    return reached


def _below(steps: Steps, value: Json, step: Step) -> Iterator[tuple[Steps, Json]]:
    match step, value:
        case str(), dict() if step in value:
            yield (*steps, step), value[step]
        case int(), list() if -len(value) <= step < len(value):
            yield (*steps, step % len(value)), value[step]
        case Every(), list():
            yield from (((*steps, number), item) for number, item in enumerate(value))
        case Every(), dict():
            yield from (((*steps, key), item) for key, item in value.items())
        case Slice(start, end), list():
            numbers = range(len(value))[start:end]
            yield from (((*steps, number), value[number]) for number in numbers)
        case _:
            return


def _missing(steps: Steps, value: Json, step: Step) -> NotFoundError:
    at = f"at {show_path(steps)!r}" if steps else "at the top"
    wanted = _shown(step).removeprefix(".")
    if isinstance(value, dict):
        nearest = get_close_matches(wanted, [str(key) for key in value], n=_SHOWN_KEYS, cutoff=0.5)
        keys = [*nearest, *(key for key in value if key not in nearest)]
        more = f" and {len(keys) - _SHOWN_KEYS} more" if len(keys) > _SHOWN_KEYS else ""
        return NotFoundError(
            f"there is no {wanted} {at}; its keys are {', '.join(keys[:_SHOWN_KEYS]) or 'none'}{more}."
        )
    if isinstance(value, list):
        size = f"a list of {len(value)}; [0] is its first element, [*] all of them"
        return NotFoundError(f"there is no {wanted} {at}, which is {size}.")
    return NotFoundError(
        f"there is nothing below {at.removeprefix('at ')}, which is neither an object nor a list."
    )
