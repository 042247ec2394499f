"""Token budgets: how many tokens a value costs, how many rows fit, and where the rest begins.

A cursor holds everything that the next call needs, so the server keeps no state for it.
"""

import base64
import binascii
import json
from collections.abc import Iterable
from typing import Any, TypeVar

from recollect.errors import RefusedError
from recollect.records.json_format import JsonObject
from recollect.text.token_estimate import characters, tokens_of

SHORT_ANSWER, LONG_ANSWER = 2000, 6000  # tokens of an answer that lists, and of one that quotes
_MIN, _MAX = 200, 20_000

tokens = tokens_of
_Row = TypeVar("_Row")


def clamp(requested: int | None, default: int) -> int:
    """The budget of an answer: what the caller requested, within bounds."""
    return default if requested is None else min(max(requested, _MIN), _MAX)


def fitting(rows: Iterable[_Row], budget: int) -> list[_Row]:
    """The first rows that fit the budget; at least one, if there is one."""
    fitted: list[_Row] = []
    for row in rows:
        budget -= tokens(row)
        if fitted and budget < 0:
            break
        fitted.append(row)
    return fitted


def cut(text: str, budget: int) -> str:
    """`text`, or as much of it as fits, marked where it was cut."""
    length = characters(budget)
    return text if len(text) <= length else text[:length].rstrip() + " …"


def cursor(tool: str, arguments: JsonObject, offset: int) -> str:
    """Where an answer continues: the tool, its arguments, and how many rows it has shown."""
    packed = json.dumps([1, tool, arguments, offset], separators=(",", ":"))
    return base64.urlsafe_b64encode(packed.encode()).decode().rstrip("=")


def parse_cursor(tool: str, cursor: str) -> tuple[dict[str, Any], int]:
    """The arguments and the offset in a cursor. Raises RefusedError for one that is not this tool's."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        content = json.loads(base64.b64decode(padded.encode(), altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, RecursionError):
        content = None
    match content:
        case [1, str(name), dict(arguments), int(offset)] if name == tool and offset >= 0:
            return arguments, offset
        case _:
            raise RefusedError(
                f"{cursor[:40]!r} is not a cursor of {tool}; pass it unchanged, or leave it out."
            )
