"""Labelled data in the plain layout: a folder of gzip-compressed JSON lines.

`corpus` {id, group?, title, text}, `queries` {id, group?, text, before?}, `qrels` {query, doc, grade}. A
query searches only its group; `before` hides documents whose id sorts at or after it. A tool set has
`tools` {server, name, description, input_schema} in place of a corpus.
"""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recollect.errors import InvalidError, NotFoundError


@dataclass(frozen=True, slots=True)
class Text:
    """A document of a set."""

    id: str
    group: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """A query of a set, with the grades of the documents that answer it."""

    id: str
    group: str
    text: str
    before: str | None
    grades: dict[str, int]


@dataclass(frozen=True, slots=True)
class DataSet:
    """A labelled set. `timed` when its queries look back: then its documents are in order of time."""

    name: str
    texts: tuple[Text, ...]
    questions: tuple[Question, ...]
    timed: bool


def load(folder: Path) -> DataSet:
    """Read a set. Raises NotFoundError or InvalidError, which name the file."""
    grades: dict[str, dict[str, int]] = {}
    for row in _rows(folder / "qrels.jsonl.gz"):
        grades.setdefault(row["query"], {})[row["doc"]] = int(row["grade"])
    questions = tuple(
        Question(
            row["id"], row.get("group", ""), row["text"], row.get("before"), grades.get(row["id"], {})
        )
        for row in _rows(folder / "queries.jsonl.gz")
    )
    timed = any(question.before for question in questions)
    return DataSet(folder.name, tuple(_texts(folder)), questions, timed)


def _texts(folder: Path) -> Iterator[Text]:
    if (folder / "tools.jsonl.gz").exists():
        rows = list(_rows(folder / "tools.jsonl.gz"))
        several = len({row["server"] for row in rows}) > 1  # else its name tells nothing
        for row in rows:
            title = f"{row['server']} {row['name']}" if several else row["name"]
            yield Text(f"{row['server']}:{row['name']}", "", title, _tool_text(row))
        return
    for row in _rows(folder / "corpus.jsonl.gz"):
        yield Text(row["id"], row.get("group", ""), row.get("title") or "", row.get("text") or "")


def _tool_text(row: dict[str, Any]) -> str:
    return "\n".join([row.get("description") or "", *_parameters(row.get("input_schema"))])


def _parameters(schema: Any, deepest: int = 3) -> Iterator[str]:
    """The parameters of a schema and of what is nested in it, each with what it is for."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    for name, field in properties.items() if isinstance(properties, dict) else ():
        about = field.get("description") if isinstance(field, dict) else ""
        yield f"{name}: {about or ''}"
        if deepest:
            yield from _parameters(field, deepest - 1)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                try:
                    yield json.loads(line)
                except ValueError as error:
                    raise InvalidError(f"{str(path)!r}, line {number}: {error}.") from None
    except FileNotFoundError:
        raise NotFoundError(f"there is no {str(path)!r}; --data names the folder of one set.") from None
    except OSError as error:
        raise InvalidError(f"{str(path)!r} cannot be read: {error}.") from None
