"""What goes back over HTTP: JSON, and errors as `{"error": TEXT}` with the code that fits."""

import json
import math
from collections.abc import Mapping
from typing import Any, TypedDict

from starlette.responses import Response

from recollect.errors import (
    ConflictError,
    InvalidError,
    NotFoundError,
    NotPermittedError,
    RecollectError,
    RefusedError,
    StoreError,
    UpstreamError,
)
from recollect.team.limits import RateLimitedError

# The first that an error is decides.
_CODES: tuple[tuple[type[RecollectError], int], ...] = (
    (RateLimitedError, 429),
    (NotPermittedError, 403),
    (NotFoundError, 404),
    (RefusedError, 409),
    (ConflictError, 409),
    (InvalidError, 400),
    (StoreError, 503),
    (UpstreamError, 503),
)


class ErrorAnswer(TypedDict):
    """What went wrong, in a sentence."""

    error: str


class TooLargeError(InvalidError):
    """A body that has more bytes than are read."""


def json_answer(value: object, code: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A value as JSON. Numbers that JSON does not have become null; text is written in ASCII."""
    try:
        text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    except ValueError:
        text = json.dumps(_finite(value), allow_nan=False, separators=(",", ":"))
    return Response(text, code, headers, "application/json")


def error_answer(error: RecollectError | str, code: int | None = None) -> Response:
    """An error with its code."""
    if code is None:
        code = code_of(error) if isinstance(error, RecollectError) else 400
    headers = {"Retry-After": str(error.seconds)} if isinstance(error, RateLimitedError) else None
    return json_answer(ErrorAnswer(error=str(error)), code, headers)


def code_of(error: RecollectError) -> int:
    """The status code of an error."""
    if isinstance(error, TooLargeError):
        return 413
    return next((code for kind, code in _CODES if isinstance(error, kind)), 500)


def _finite(value: Any) -> Any:
    match value:
        case float() if not math.isfinite(value):
            return None
        case dict():
            return {name: _finite(member) for name, member in value.items()}
        case list() | tuple():
            return [_finite(member) for member in value]
        case _:
            return value
