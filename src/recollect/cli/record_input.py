"""The record that a command reads from a file or standard input, and what its options add."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.errors import InvalidMemoryError, NotFoundError, Problem, RefusedError
from recollect.records.json_format import Json, JsonObject, parse, same
from recollect.records.record import Memory

if TYPE_CHECKING:
    from recollect.app.project import Recollect

# Fields of the given record that a change ignores: the identity and history of the memory.
_FIXED = ("id", "category", "schema_version", "created_at", "updated_at", "changes", "times_updated")

SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set", "-s", metavar="FIELD=VALUE", help="A field of the content; repeatable for lists."
    ),
]
AnchorOption = Annotated[
    list[str] | None,
    typer.Option(
        "--anchor",
        metavar="FILE[:10-40]",
        help="Code it describes; changes to it are reported.",
    ),
]
RelatedFileOption = Annotated[
    list[str] | None,
    typer.Option("--related-file", metavar="FILE", help="A file or pattern it is about; repeatable."),
]
SupersedesOption = Annotated[
    list[str] | None,
    typer.Option("--supersedes", metavar="ID", help="A memory that this one replaces; repeatable."),
]
FileOption = Annotated[
    str | None, typer.Option("--file", "-f", metavar="FILE", help="A JSON record; - is standard input.")
]


def read(file: str) -> JsonObject:
    """Read a record from a file; `-` is standard input."""
    if file == "-":
        data = sys.stdin.buffer.read()
        if not data.strip():
            raise RefusedError("standard input is empty; pipe a JSON record in, or give options.")
        return parse(data, "standard input")
    try:
        return parse(Path(file).read_bytes(), file)
    except OSError as error:
        raise NotFoundError(f"cannot read {file!r}: {error.strerror}.") from None


def content(document: JsonObject) -> JsonObject:
    """The content of a record; empty when it has none."""
    value = document.get("content")
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InvalidMemoryError(
            "the record", [Problem("content", f"must be an object, not {value!r}")]
        )
    return value


def changes(document: JsonObject) -> JsonObject:
    """The fields of a record that may change a memory: not its id, its times or its history."""
    return {name: value for name, value in document.items() if name not in _FIXED}


def additions(
    recollect: "Recollect",
    related: Iterable[str] = (),
    places: Iterable[str] = (),
    superseded: Iterable[str] = (),
) -> dict[str, list[Json]]:
    """Rows that options add to the lists of a record."""
    targets = [recollect.get(id).memory.unified_id for id in superseded]
    rows: dict[str, list[Json]] = {
        "related_files": [*related],
        "anchors": [recollect.worktree.anchor(place, Path.cwd()) for place in places],
        "links": [{"type": "supersedes", "target": target} for target in targets],
    }
    return {name: added for name, added in rows.items() if added}


def extended(rows: Json, added: Iterable[Json]) -> list[Json]:
    """A list with rows added. A row that is there already is not repeated; an anchor is renewed."""
    result = rows if isinstance(rows, list) else []
    for row in added:
        result = [other for other in result if not same(other, row) and not _same_place(other, row)]
        result.append(row)
    return result


def _same_place(left: Json, right: Json) -> bool:
    if not isinstance(left, dict) or not isinstance(right, dict) or "digest" not in right:
        return False
    return (left.get("path"), left.get("lines")) == (right.get("path"), right.get("lines"))


def merged(old: Memory, document: JsonObject, added: dict[str, list[Json]]) -> JsonObject:
    """The fields that `document` and `added` change of a memory. Content is merged by field."""
    fields = changes(document)
    if fields.get("content") is not None:
        fields["content"] = old.content | content(fields)
    before = old.document
    for name, rows in added.items():
        fields[name] = extended(fields.get(name, before.get(name)), rows)
    return fields
