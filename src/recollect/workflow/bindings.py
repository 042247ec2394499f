"""Where the arguments of a call come from: results and arguments of earlier calls, or always the same.

A binding is believed once three calls in a row agree on it. A value that fits by accident seldom fits thrice.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from recollect.errors import RecollectError
from recollect.gateway.vault.json_path import Steps, select
from recollect.records.json_format import Json
from recollect.workflow import weights

_DEEPEST, _MOST_LEAVES, _MOST_ITEMS = 4, 200, 5
_LONGEST = 500  # characters of a value that is compared


@dataclass(frozen=True, slots=True)
class FinishedCall:
    """A call that succeeded: with which arguments, and what it gave."""

    tool: str
    arguments: Mapping[str, Json]
    output: Json


@dataclass(frozen=True, slots=True)
class ArgumentSource:
    """A place in the newest call of a tool before; or, without a tool, a value, as JSON text."""

    tool: str
    part: Literal["output", "arguments", "value"]
    steps: Steps = ()
    value: str = ""


@dataclass(frozen=True, slots=True)
class Binding:
    """What the last calls of a tool have in common: for each argument, the sources that gave it each time."""

    sources: Mapping[str, frozenset[ArgumentSource]]
    count: int = 1

    @property
    def is_known(self) -> bool:
        return self.count >= weights.BINDING_SEEN

    def agreeing(self, newer: "Binding") -> "Binding":
        """With one more call; what does not agree starts again with the newer one."""
        if self.sources.keys() != newer.sources.keys():
            return newer
        common = {name: self.sources[name] & newer.sources[name] for name in self.sources}
        return Binding(common, self.count + 1) if all(common.values()) else newer


def binding_of(call: FinishedCall, before: Sequence[FinishedCall]) -> Binding | None:
    """Where each argument of a call may come from; None if one of them comes from nowhere that is known."""
    places = list(_places(before))
    sources: dict[str, frozenset[ArgumentSource]] = {}
    for name, value in call.arguments.items():
        if not _is_plain(value):
            return None
        fitting = {place for place, known in places if _is_same(known, value)}
        sources[name] = frozenset({*fitting, ArgumentSource("", "value", (), json.dumps(value))})
    return Binding(sources)


def bound_arguments(binding: Binding, before: Sequence[FinishedCall]) -> dict[str, Json] | None:
    """The arguments of the next call; None unless every source that is left gives the same value.

    A place in an earlier call is preferred to a value that was the same each time.
    """
    arguments: dict[str, Json] = {}
    for name, sources in binding.sources.items():
        places = [source for source in sources if source.tool] or list(sources)
        values = [_read(source, before) for source in places]
        if not all(_is_plain(value) and _is_same(value, values[0]) for value in values):
            return None
        arguments[name] = values[0]
    return arguments


def _places(before: Sequence[FinishedCall]) -> Iterator[tuple[ArgumentSource, Json]]:
    """Every value in the newest call of each tool."""
    for call in {call.tool: call for call in before}.values():
        for steps, value in _leaves(dict(call.arguments)):
            yield ArgumentSource(call.tool, "arguments", steps), value
        for steps, value in _leaves(call.output):
            yield ArgumentSource(call.tool, "output", steps), value


def _leaves(value: Json) -> Sequence[tuple[Steps, Json]]:
    leaves: list[tuple[Steps, Json]] = []
    pending: list[tuple[Steps, Json]] = [((), value)]
    while pending and len(leaves) < _MOST_LEAVES:
        steps, inner = pending.pop(0)
        if _is_plain(inner):
            leaves.append((steps, inner))
        elif len(steps) < _DEEPEST and isinstance(inner, dict):
            pending += [((*steps, name), each) for name, each in inner.items()][:_MOST_LEAVES]
        elif len(steps) < _DEEPEST and isinstance(inner, list):
            pending += [((*steps, index), each) for index, each in enumerate(inner[:_MOST_ITEMS])]
    return leaves


def _read(source: ArgumentSource, before: Sequence[FinishedCall]) -> Json:
    """The value of a source now; a list, which is no plain value, if it is not there."""
    if source.part == "value":
        value: Json = json.loads(source.value)
        return value
    calls = [call for call in before if call.tool == source.tool]
    if not calls:
        return []
    document = calls[-1].output if source.part == "output" else dict(calls[-1].arguments)
    try:
        [(_, reached)] = select(document, source.steps)
    except (RecollectError, ValueError):
        return []
    return reached


def _is_plain(value: Json) -> bool:
    return value is None or (
        isinstance(value, str | int | float | bool) and len(str(value)) <= _LONGEST
    )


def _is_same(first: Json, second: Json) -> bool:
    return type(first) is type(second) and first == second
