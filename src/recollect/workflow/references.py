"""References in arguments: `${search.items[0].id}` stands for a value in the output of the task `search`.

A text that is one reference becomes that value, with its type; within a longer text it becomes text.
`${context.branch}` is a value that commands set, `${item}` and `${index}` the item of a list that a task is
done for. `$${` is a literal `${`.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from recollect.errors import NotFoundError, RefusedError
from recollect.gateway.vault.json_path import Steps, is_single, parse_path, select, show_path
from recollect.records.json_format import Json

CONTEXT, ITEM, INDEX = "context", "item", "index"
RESERVED = frozenset({CONTEXT, ITEM, INDEX})
_REFERENCE = re.compile(r"\$(\$\{)|\$\{([^{}]*)\}")
_SOURCE = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_-]*)\s*(?=[.\[]|$)")


@dataclass(frozen=True, slots=True)
class OutputReference:
    """A place in the output of a task, or in the context, or in the item of a list."""

    source: str
    steps: Steps = ()

    @property
    def is_output(self) -> bool:
        return self.source not in RESERVED

    def __str__(self) -> str:
        path = show_path(self.steps)
        return f"{self.source}{'' if not path or path.startswith('[') else '.'}{path}"


def parse_reference(text: str) -> OutputReference:
    """What stands between the braces. Raises RefusedError for what is no reference."""
    match = _SOURCE.match(text)
    if match is None:
        raise RefusedError(
            f"'${{{text}}}' is not a reference; write ${{task}} or ${{task.path[0].name}}."
        )
    return OutputReference(match[1], parse_path(text[match.end() :]))


def references(value: Json) -> list[OutputReference]:
    """Every reference in a value, in order. Raises RefusedError for one that cannot be read."""
    return [
        parse_reference(match[2])
        for text in _texts(value)
        for match in _REFERENCE.finditer(text)
        if match[2] is not None
    ]


def resolved(value: Json, read: Callable[[OutputReference], Json]) -> Json:
    """The value with what `read` gives in place of each reference."""
    match value:
        case str():
            return _resolved_text(value, read)
        case dict():
            return {key: resolved(inner, read) for key, inner in value.items()}
        case list():
            return [resolved(inner, read) for inner in value]
        case _:
            return value


def literal(value: Json) -> Json:
    """The value with nothing in it that `resolved` would read as a reference."""
    match value:
        case str():
            return value.replace("${", "$${")
        case dict():
            return {key: literal(inner) for key, inner in value.items()}
        case list():
            return [literal(inner) for inner in value]
        case _:
            return value


def read_from(outputs: Mapping[str, Json]) -> Callable[[OutputReference], Json]:
    """Reads references from outputs by the name of their source.

    Raises NotFoundError that says what the output has instead.
    """

    def read(reference: OutputReference) -> Json:
        if reference.source not in outputs:
            raise NotFoundError(f"${{{reference}}}: there is no output of {reference.source!r}.")
        try:
            reached = select(outputs[reference.source], reference.steps)
        except NotFoundError as error:
            raise NotFoundError(f"${{{reference}}}: {error}") from None
        values = [value for _, value in reached]
        return values[0] if is_single(reference.steps) else values

    return read


def _texts(value: Json) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for inner in value.values():
                yield from _texts(inner)
        case list():
            for inner in value:
                yield from _texts(inner)


def _resolved_text(text: str, read: Callable[[OutputReference], Json]) -> Json:
    match = _REFERENCE.fullmatch(text)
    if match is not None and match[2] is not None:
        return read(parse_reference(match[2]))

    def replacement(match: re.Match[str]) -> str:
        return match[1] or _as_text(read(parse_reference(match[2])))

    return _REFERENCE.sub(replacement, text)


def _as_text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
