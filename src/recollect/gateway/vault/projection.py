"""Projections: previews of a tool's large results that show the fields which agents read, and only those.

A field is a path with `[*]` in place of every index and of every key that looks like data, such as
`items[*].title`: it says what was read and contains no value.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from recollect.errors import RefusedError
from recollect.gateway import weights
from recollect.gateway.observed_schema import is_field_name
from recollect.gateway.vault.content import JsonPart, Part, TablePart, records
from recollect.gateway.vault.json_path import Every, Step, parse_path, show_path
from recollect.gateway.vault.shape import abridged, compact
from recollect.records.json_format import Json

MOST_FIELDS = 12  # of one projection

_Tree: TypeAlias = "dict[Step, _Tree]"


@dataclass(frozen=True, slots=True)
class FieldReads:
    """In how many different results of a tool agents read a field."""

    server: str
    tool: str
    field: str
    results: int


@dataclass(frozen=True, slots=True)
class Projection:
    """The fields that previews of a tool's large results show."""

    server: str
    tool: str
    fields: tuple[str, ...]

    @property
    def id(self) -> str:
        return f"{self.server}:{self.tool}"


def field_of(part: Part, path: str) -> str:
    """The field that a path into a part reads; '' for the whole part, and for one without fields.

    Raises RefusedError for a text that is no path.
    """
    if not isinstance(part, JsonPart | TablePart):
        return ""
    return _field(parse_path(path))


def _field(steps: Iterable[Step]) -> str:
    """Without the `[*]` at its end: all rows of a list are the list."""
    field = [step if isinstance(step, str) and is_field_name(step) else Every() for step in steps]
    while field and isinstance(field[-1], Every):
        field.pop()
    return show_path(field)


def valid_fields(fields: Iterable[str]) -> tuple[str, ...]:
    """Fields that a person wrote, each once. Raises RefusedError for a wrong path, none, or too many."""
    chosen = tuple(dict.fromkeys(_field(parse_path(field)) for field in fields))
    if not all(chosen) or not 1 <= len(chosen) <= MOST_FIELDS:
        raise RefusedError(
            f"a projection has 1 to {MOST_FIELDS} fields, such as items[*].id; got {len(chosen)}."
        )
    return chosen


def proposals(reads: Iterable[FieldReads], accepted: Iterable[Projection]) -> list[Projection]:
    """A projection for each tool whose results were read alike often enough and that has not got it yet."""
    present = {projection.id: projection.fields for projection in accepted}
    by_tool: dict[tuple[str, str], list[FieldReads]] = {}
    for read in reads:
        if read.results >= weights.PROJECTION_RESULTS:
            by_tool.setdefault((read.server, read.tool), []).append(read)
    proposed = []
    for (server, tool), often in sorted(by_tool.items()):
        often.sort(key=lambda read: (-read.results, read.field))
        fields = _outermost([read.field for read in often])[:MOST_FIELDS]
        shown = present.get(f"{server}:{tool}", ())
        if not all(any(_is_within(field, other) for other in shown) for field in fields):
            proposed.append(Projection(server, tool, tuple(sorted(fields))))
    return proposed


def _outermost(fields: Sequence[str]) -> list[str]:
    """The fields that are not within another one."""
    return [
        field
        for field in fields
        if not any(other != field and _is_within(field, other) for other in fields)
    ]


def _is_within(field: str, other: str) -> bool:
    steps, outer = parse_path(field), parse_path(other)
    return steps[: len(outer)] == outer


def projected(part: Part, fields: Sequence[str], most: int) -> str:
    """The fields of a part as JSON of at most `most` characters; '' if it has none of them.

    What does not fit is replaced by a count: as many rows of each list are shown as fit.
    """
    if not isinstance(part, JsonPart | TablePart):
        return ""
    document = part.value if isinstance(part, JsonPart) else records(part)
    pruned = _pruned(document, _tree(fields))
    return _fitted(pruned[0], most) if pruned else ""


def _tree(fields: Iterable[str]) -> _Tree:
    root: _Tree = {}
    for field in sorted(fields, key=len, reverse=True):  # a field that covers others comes after them
        steps = parse_path(field)
        node = root
        for step in steps[:-1]:
            node = node.setdefault(step, {})
        node[steps[-1]] = {}
    return root


def _pruned(value: Json, tree: _Tree) -> tuple[Json, ...]:
    """A copy with the fields of a tree alone; none if it has none. An empty tree stands for everything."""
    if not tree:
        return (value,)
    if isinstance(value, list):
        below = tree.get(Every())
        rows = [] if below is None else [row for item in value for row in _pruned(item, below)]
        return (rows,) if rows else ()
    if isinstance(value, dict):
        every = tree.get(Every())
        pruned: dict[str, Json] = {}
        for key, item in value.items():
            below = tree.get(key, every)
            for shown in () if below is None else _pruned(item, below):
                pruned[key] = shown
        return (pruned,) if pruned else ()
    return ()


def _fitted(value: Json, most: int) -> str:
    text = compact(value)
    if len(text) <= most:
        return text
    fewest, too_many = 0, max(_longest(value), 1)
    while too_many - fewest > 1:  # the most rows that fit
        rows = (fewest + too_many) // 2
        fewest, too_many = (rows, too_many) if _size(value, rows) <= most else (fewest, rows)
    return compact(_shortened(value, fewest)) if fewest else abridged(value, most)


def _size(value: Json, rows: int) -> int:
    return len(compact(_shortened(value, rows)))


def _longest(value: Json) -> int:
    """The length of the longest list in a document."""
    if isinstance(value, list):
        return max([len(value), *map(_longest, value)])
    return max(map(_longest, value.values()), default=0) if isinstance(value, dict) else 0


def _shortened(value: Json, rows: int) -> Json:
    if isinstance(value, dict):
        return {key: _shortened(item, rows) for key, item in value.items()}
    if not isinstance(value, list):
        return value
    shown = [_shortened(item, rows) for item in value[:rows]]
    return shown if len(value) <= rows else [*shown, f"… {len(value) - rows:,} more"]
