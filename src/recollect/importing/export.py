"""Recollect's own export: every memory of a project in one JSON file, nothing lost.

`{"format": "recollect-export", "version": 1, "project": ..., "exported_at": ..., "memories": [...]}`,
each memory the document of its file, unknown fields included.
"""

import json
import math
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from recollect import clock
from recollect.errors import InvalidJsonError, InvalidMemoryError, RefusedError
from recollect.importing.found import Incoming, Skipped
from recollect.records.json_format import Json, parse, render
from recollect.records.record import Memory

FORMAT = "recollect-export"
VERSION = 1
MAX_BYTES = 256 * 1024 * 1024
_NUMBER_DIGITS = 400  # json would refuse more than 4,300 with a message for programmers


def export_document(memories: Iterable[Memory], project: str, now: datetime) -> bytes:
    """The export of these memories, in their order."""
    documents: list[Json] = [memory.document for memory in memories]
    return render(
        {
            "format": FORMAT,
            "version": VERSION,
            "project": project,
            "exported_at": clock.to_text(now),
            "memories": documents,
        }
    )


def read(data: bytes, origin: str) -> Iterator[Incoming | Skipped]:
    """The memories of an export. One that is none is skipped; a file that is no export is an error."""
    document = _load(data, origin)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise RefusedError(f'{origin!r} is no Recollect export: it lacks \'"format": "{FORMAT}"\'.')
    if document.get("version") != VERSION:
        raise RefusedError(
            f"{origin!r} is an export of version {document.get('version')!r}; this Recollect reads "
            f"version {VERSION}. Upgrade Recollect."
        )
    memories = document.get("memories")
    if not isinstance(memories, list):
        raise RefusedError(f"{origin!r} has no list of 'memories'; export it again.")
    for position, row in enumerate(memories):
        yield _memory(row, origin, position)


def _memory(row: Any, origin: str, position: int) -> Incoming | Skipped:
    name = row.get("id") if isinstance(row, dict) else None
    where = f"{origin}#{name}" if isinstance(name, str) else f"{origin}#{position}"
    if not isinstance(row, dict):
        return Skipped(where, "not an object")
    try:
        # What is written must be readable again: the limits of a memory's own file hold for each.
        return Incoming(where, Memory.parse(parse(render(row), where), where))
    except InvalidJsonError as error:
        return Skipped(where, error.reason)
    except InvalidMemoryError as error:
        return Skipped(where, "; ".join(str(problem) for problem in error.problems))


def _load(data: bytes, where: str) -> Any:
    if len(data) > MAX_BYTES:
        raise InvalidJsonError(where, f"larger than the {MAX_BYTES:,} bytes an export may have")
    try:
        return json.loads(
            data.decode("utf-8-sig"),
            object_pairs_hook=_no_duplicates,
            parse_constant=_refuse_constant,
            parse_float=_finite,
            parse_int=_short,
        )
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidJsonError(where, "not UTF-8; save the file as UTF-8", line) from None
    except json.JSONDecodeError as error:
        reason = f"not valid JSON: {error.msg} (column {error.colno})"
        raise InvalidJsonError(where, reason, error.lineno) from None
    except RecursionError:
        raise InvalidJsonError(where, "nested too deeply") from None
    except ValueError as error:
        raise InvalidJsonError(where, str(error)) from None


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"the key {twice!r} appears twice in one object; keep one of them")
    return found


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON; write a number or null")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"the number {text[:40]!r} does not fit")
    return value


def _short(text: str) -> int:
    if len(text) > _NUMBER_DIGITS:
        raise ValueError(f"the number {text[:40]!r} does not fit")
    return int(text)
