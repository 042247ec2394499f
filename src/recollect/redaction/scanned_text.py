"""A text with what several scanners need of it, computed once."""

from __future__ import annotations

from recollect.values import Frozen

SHORTEST_KEY = 16  # no key that a provider issues is shorter
_SEPARATORS = {ord(sign): " " for sign in "\"'`=:;,|&?!#%@$*^\\<>()[]{}"}


class ScannedText(Frozen):
    """A text, the same in lower case (of equal length), and its tokens that are long enough for a key."""

    text: str
    lower: str
    tokens: list[str]


def scanned(text: str) -> ScannedText:
    """Prepare a text for the scanners."""
    lower = text.lower()
    if len(lower) != len(text):  # a few letters of a few languages grow in lower case
        lower = "".join([letter.lower()[:1] for letter in text])
    tokens = text.replace("\\n", " ").translate(_SEPARATORS).split()
    return ScannedText(text, lower, [token for token in tokens if len(token) >= SHORTEST_KEY])
