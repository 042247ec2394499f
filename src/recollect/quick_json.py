"""JSON for a hook: the C parts of `json`, without the regular expressions it imports.

`json` costs a short process 4 ms, a fifth of what a prompt may wait. What is accepted and printed is the
same: whatever the C parts do not take at once, and interpreters that have none, are left to `json`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SPACE = " \t\n\r"
_CONSTANTS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


class _Context:
    """What the scanner asks of a decoder."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int, parse_constant = float, int, _CONSTANTS.__getitem__


def loads(given: str | bytes) -> Any:
    """What a document says. Raises ValueError for what is no JSON, as `json.loads` does."""
    try:
        text = given if isinstance(given, str) else given.decode()
        found, end = _scanned(text)
        if not text[end:].strip(_SPACE):
            return found
    except (ImportError, StopIteration, SystemError, ValueError):
        pass  # no JSON, an encoding of its own, or no C parts: `json` knows which
    from json import loads as whole

    return whole(given)


def _scanned(text: str) -> tuple[Any, int]:
    """The value at the start of a text, and where it ends. Without `json` an error is a SystemError."""
    from _json import make_scanner

    scanner: Any = make_scanner
    found: tuple[Any, int] = scanner(_Context)(text, len(text) - len(text.lstrip(_SPACE)))
    return found


def dumps(told: object, *, ascii_only: bool = True) -> str:
    """A document on one line without spaces. Raises TypeError for what JSON has no form for."""
    try:
        from _json import (
            encode_basestring,
            encode_basestring_ascii,
            make_encoder,
        )
    except ImportError:
        from json import dumps as whole

        return whole(told, ensure_ascii=ascii_only, separators=(",", ":"))
    text = encode_basestring_ascii if ascii_only else encode_basestring
    encoder = make_encoder({}, _unknown, text, None, ":", ",", False, False, True)
    return "".join(encoder(told, 0))


def _unknown(what: object) -> object:
    raise TypeError(f"{type(what).__name__} has no form in JSON: {what!r}")
