"""The parts of a tool's result: JSON, tables, text and binary data, as they are stored and read."""

import base64
import binascii
import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from recollect.gateway.vault.shape import compact, is_deep
from recollect.records.json_format import Json, JsonObject

TABLE_TYPES = {"text/csv": ",", "text/tab-separated-values": "\t"}
_JSON_TYPES = ("application/json", "+json", "application/x-ndjson", "application/jsonl")
_FEWEST_ROWS = 3  # of a table that no type declares
_MOST_TEXTS = 20  # blocks that are parts of their own
_FEWEST_COMMAS = 2  # in each of its rows: one is usual in prose


@dataclass(frozen=True, slots=True)
class JsonPart:
    """A JSON document: structured content, or a text that is JSON or JSON lines."""

    value: Json
    name: str = ""
    kind: Literal["json"] = "json"


@dataclass(frozen=True, slots=True)
class TablePart:
    """Rows that a sign separates, the first of which names the columns."""

    text: str
    delimiter: str
    name: str = ""
    kind: Literal["table"] = "table"


@dataclass(frozen=True, slots=True)
class TextPart:
    """Any other text."""

    text: str
    name: str = ""
    kind: Literal["text"] = "text"


@dataclass(frozen=True, slots=True)
class BinaryPart:
    """An image, sound or file, with its media type."""

    data: bytes
    mime: str
    name: str = ""
    kind: Literal["binary"] = "binary"


Part: TypeAlias = JsonPart | TablePart | TextPart | BinaryPart


@dataclass(frozen=True, slots=True)
class StoredPart:
    """A part as it was stored, after the gate: its number from 1, where its file is, and its bytes.

    In a database a part has no file.
    """

    number: int
    part: Part
    file: str
    size: int


@dataclass(frozen=True, slots=True)
class StoredResult:
    """A result as it was stored: the handle that names it, the tool that gave it, and its parts."""

    handle: str
    tool: str
    parts: tuple[StoredPart, ...]


def encoded(part: Part) -> bytes:
    """The bytes of a part's file."""
    match part:
        case BinaryPart():
            return part.data
        case JsonPart():
            return compact(part.value).encode("utf-8", "replace")
        case TablePart() | TextPart():
            return part.text.encode("utf-8", "replace")


def decoded(kind: str, data: bytes, name: str, *, mime: str, delimiter: str) -> Part:
    """The part that `encoded` made these bytes of. Raises ValueError for what is none."""
    match kind:
        case "json":
            return JsonPart(json.loads(data), name)
        case "table":
            return TablePart(data.decode("utf-8", "replace"), delimiter[:1] or ",", name)
        case "text":
            return TextPart(data.decode("utf-8", "replace"), name)
        case "binary":
            return BinaryPart(data, mime, name)
        case _:
            raise ValueError("unknown kind")


def parts_of(result: JsonObject) -> list[tuple[int | None, Part]]:
    """The parts of a CallToolResult, each with the number of its content block, if it is a block of its own.

    Texts that only repeat the structured content, as servers write them for older clients, are left out.
    Very many texts are one part: some servers write each row as a block.
    """
    structured = result.get("structuredContent")
    repeated = _repeated(structured)
    blocks = result.get("content")
    parts: list[tuple[int | None, Part]] = []
    for number, block in enumerate(blocks if isinstance(blocks, list) else []):
        part = _part(block) if isinstance(block, dict) else None
        if part is not None and not (repeated and _spelling(part) in repeated):
            parts.append((number, part))
    first: list[tuple[int | None, Part]] = (
        [] if structured is None else [(None, _structured(structured))]
    )
    return [*first, *_merged(parts)]


def _repeated(structured: Json) -> set[str]:
    """What a block that repeats the structured content says; servers wrap what is no object as `result`."""
    match structured:
        case None:
            return set()
        case {"result": list(rows)} if isinstance(structured, dict) and len(structured) == 1:
            return {compact(structured), compact(rows), *map(compact, rows)}
        case {"result": value} if isinstance(structured, dict) and len(structured) == 1:
            return {compact(structured), compact(value)}
        case _:
            return {compact(structured)}


def _spelling(part: Part) -> str:
    if isinstance(part, BinaryPart):
        return ""
    return compact(part.value if isinstance(part, JsonPart) else part.text)


def _merged(parts: list[tuple[int | None, Part]]) -> list[tuple[int | None, Part]]:
    others = [(number, part) for number, part in parts if isinstance(part, BinaryPart) or part.name]
    texts = [part for _, part in parts if not isinstance(part, BinaryPart) and not part.name]
    if len(texts) <= _MOST_TEXTS:
        return parts
    rows = [part.value for part in texts if isinstance(part, JsonPart)]
    joined: Part = JsonPart(rows)
    if len(rows) < len(texts):
        joined = TextPart(
            "\n".join(compact(p.value) if isinstance(p, JsonPart) else p.text for p in texts)
        )
    return [(None, joined), *others]


def _structured(value: Json) -> Part:
    if isinstance(value, dict) and list(value) == ["result"] and isinstance(value["result"], str):
        return text_part(value["result"])
    return TextPart(valid(compact(value))) if is_deep(value) else JsonPart(_valid_document(value))


def _part(block: JsonObject) -> Part | None:
    """What a content block holds; None for a link, which is small and stays where it is."""
    match block:
        case {"type": "text", "text": str(text)}:
            return text_part(text)
        case {"type": "image" | "audio", "data": str(data)}:
            return _binary(data, block)
        case {"type": "resource", "resource": dict(resource)}:
            return _resource_part(resource)
        case _:
            return None


def _resource_part(resource: JsonObject) -> Part | None:
    match resource:
        case {"text": str(text)}:
            return text_part(text, str(resource.get("mimeType") or ""), str(resource.get("uri") or ""))
        case {"blob": str(data)}:
            return _binary(data, resource)
        case _:
            return None


def _binary(data: str, fields: JsonObject) -> Part:
    mime = str(fields.get("mimeType") or "application/octet-stream")
    name = str(fields.get("uri") or "")
    try:
        return BinaryPart(base64.b64decode(data), mime, name)
    except (binascii.Error, ValueError):
        return TextPart(data, name)


def text_part(text: str, mime: str = "", name: str = "") -> Part:
    """A text as what it is: JSON, JSON lines, a table, or text."""
    text = valid(text)
    is_json = any(mark in mime for mark in _JSON_TYPES) or text.lstrip()[:1] in ("{", "[")
    if is_json and (document := _json(text)) is not None:
        return JsonPart(document[0], name)
    delimiter = TABLE_TYPES.get(mime.partition(";")[0]) or _delimiter(text)
    return TablePart(text, delimiter, name) if delimiter else TextPart(text, name)


def valid(text: str) -> str:
    """A text with lone surrogates replaced: they can be neither stored nor sent."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _valid_document(value: Json) -> Json:
    text = compact(value)
    clean = valid(text)
    document: Json = value if clean == text else json.loads(clean)
    return document


def _json(text: str) -> tuple[Json] | None:
    """The document in a text, or its JSON lines as a list; None where it is neither, or too deep."""
    value = _loaded(text)
    if value is None:
        lines = [line for line in text.splitlines() if line.strip()]
        rows = [_loaded(line) for line in lines if line.lstrip()[0] in "{["] if len(lines) > 1 else []
        if not rows or len(rows) != len(lines) or None in rows:
            return None
        value = ([row[0] for row in rows if row],)
    if is_deep(value[0]):
        return None
    return (_valid_document(value[0]),) if "\\ud" in text.lower() else value


def _loaded(text: str) -> tuple[Json] | None:
    try:
        return (json.loads(text),)
    except (ValueError, RecursionError):
        return None


def _delimiter(text: str) -> str:
    """The sign that separates the columns of a text whose rows all have the same number of them."""
    for delimiter, fewest in (("\t", 1), (",", _FEWEST_COMMAS)):
        if delimiter in text[:10_000] and _is_table(text, delimiter, fewest + 1):
            return delimiter
    return ""


def _is_table(text: str, delimiter: str, fewest: int) -> bool:
    rows = csv_rows(text, delimiter)
    width = len(rows[0])
    if width < fewest or len(rows) < _FEWEST_ROWS or any(len(row) != width for row in rows):
        return False
    header = [name.strip() for name in rows[0]]
    return all(header) and len(set(header)) == width and not any(_is_number(name) for name in header)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def csv_rows(text: str, delimiter: str) -> list[list[str]]:
    """The rows of a table that are not empty; its lines where it cannot be read as one. At least one row."""
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error:  # a field over 128 KB
        rows = [[line] for line in text.splitlines() if line]
    return [row for row in rows if row] or [[]]


def csv_line(row: Sequence[str], delimiter: str) -> str:
    """One row as it stands in a table."""
    line = io.StringIO(newline="")
    csv.writer(line, delimiter=delimiter, lineterminator="").writerow(row)
    return line.getvalue()


def records(table: TablePart) -> list[Json]:
    """The rows of a table as objects by the names of its columns."""
    rows = csv_rows(table.text, table.delimiter)
    return list(_objects(rows[0], rows[1:]))


def _objects(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[Json]:
    for row in rows:
        fields: JsonObject = dict(zip(header, row, strict=False))
        yield fields
