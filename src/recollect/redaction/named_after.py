"""A password that is said to be one only after it: `swordfish is the root password`."""

from __future__ import annotations

import re

from recollect.redaction.assignment_check import PROSE, QUOTED, is_secret
from recollect.redaction.secret_names import PASSWORD
from recollect.redaction.spans import Span
from recollect.redaction.value_check import word_set

_BEFORE = re.compile(
    r"(?:^|(?P<start>[.:;,!?(\u2014-]|\bthat|\bthink|\bbelieve)?[ \t]|(?P<line>\n))"
    r"(?P<quote>[\"'`“]?)(?P<value>[^\s\"'`“”]{3,60})"
    r"[\"'`”]?[ \t](?:is|was|ist|est|es|é|è)[ \t](?:the|our|my|your|their|das|le|la|el|a|il)"
    r"(?:[ \t][\w'-]{1,30}){0,3}[ \t]\Z",
    re.IGNORECASE,
)
_WINDOW = 140  # characters before the name that are read
_NO_VALUES = word_set(
    "what which who whom where when how why here there this that it he she they we you below above following",
    "username user email mail field argument parameter column line value string second first last third",
    "name next rest part word one number answer question problem issue reason everything something nothing",
    "was ist quel quelle qué cual cuál qual como wie wo",
)
_MORE = (" for ", " of ", " to ", " on ", " at ", " für ", " de ", " pour ", " para ")


def named_after(text: str, start: int, end: int) -> Span | None:
    """The value before the name from `start` to `end`, if a sentence says that it is the password."""
    rest = text[end : end + 6]
    if rest[:1] not in ("", ".", ",", ";", "!", ")", "\n", "\r") and not rest.startswith(_MORE):
        return None
    offset = max(0, start - _WINDOW)
    match = _BEFORE.search(text[offset:start])
    if match is None or match["value"].lower() in _NO_VALUES:
        return None
    value = match["value"].rstrip(",;")
    begins = bool(match["start"] or match["line"]) or match.start() == 0
    if value.isalpha() and not (match["quote"] or begins):
        return None
    if not is_secret(value, PASSWORD, text[start:end], QUOTED if match["quote"] else PROSE):
        return None
    at = offset + match.start("value")
    return Span("assigned secret", at, at + len(value))
