"""Answers that fit: how many tokens a value costs, how many rows fit, and where the rest begins.

A cursor holds everything that is needed to go on, so that no server has to remember anybody.
"""

import base64
import binascii
import json
from collections.abc import Iterable
from typing import Any, TypeVar

from recollect.errors import RefusedError
from recollect.records.json_format import JsonObject

CHARACTERS_PER_TOKEN = 3.5  # on the careful side for English and JSON
SHORT_ANSWER, LONG_ANSWER = 2000, 6000  # tokens of an answer that lists, and of one that quotes
_LEAST, _MOST = 200, 20_000

_Row = TypeVar("_Row")


def tokens(value: object) -> int:
    """About how many tokens a value costs as JSON."""
    return int(len(json.dumps(value, ensure_ascii=False)) / CHARACTERS_PER_TOKEN) + 1


def clamp(asked: int | None, default: int) -> int:
    """The budget of an answer: what was asked for, within reason."""
    return default if asked is None else min(max(asked, _LEAST), _MOST)


def fitting(rows: Iterable[_Row], budget: int) -> list[_Row]:
    """The first rows that fit the budget; always one, if there is one."""
    kept: list[_Row] = []
    for row in rows:
        budget -= tokens(row)
        if kept and budget < 0:
            break
        kept.append(row)
    return kept


def cut(text: str, budget: int) -> str:
    """`text`, or as much of it as fits, marked where it was cut."""
    most = int(budget * CHARACTERS_PER_TOKEN)
    return text if len(text) <= most else text[:most].rstrip() + " …"


def cursor(tool: str, arguments: JsonObject, offset: int) -> str:
    """Where an answer goes on: the tool, what it was asked, and how much of it was told."""
    packed = json.dumps([1, tool, arguments, offset], separators=(",", ":"))
    return base64.urlsafe_b64encode(packed.encode()).decode().rstrip("=")


def parse_cursor(tool: str, given: str) -> tuple[dict[str, Any], int]:
    """The arguments and the offset in a cursor. Raises RefusedError for one that is not this tool's."""
    try:
        padded = given + "=" * (-len(given) % 4)
        found = json.loads(base64.b64decode(padded.encode(), altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, RecursionError):
        found = None
    match found:
        case [1, str(name), dict(arguments), int(offset)] if name == tool and offset >= 0:
            return arguments, offset
        case _:
            raise RefusedError(
                f"{given[:40]!r} is no cursor of {tool}; pass one as it was given, or leave it out."
            )
