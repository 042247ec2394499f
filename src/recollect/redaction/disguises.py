"""A text without its disguise: escapes resolved, invisible characters left out, base64 decoded."""

from __future__ import annotations

import re
from binascii import a2b_base64

from recollect.redaction.assignments import CLUES
from recollect.redaction.spans import INVISIBLE, Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Find = Callable[[str], list[Span]]

_ESCAPE = re.compile(
    r"%(?P<percent>[0-9A-Fa-f]{2})|\\u(?P<unicode>[0-9A-Fa-f]{4})|\\x(?P<byte>[0-9A-Fa-f]{2})"
    r"|&#0{0,8}(?P<decimal>[1-9][0-9]{1,4});?|&#[xX]0{0,8}(?P<hex>[1-9A-Fa-f][0-9A-Fa-f]{1,3});?"
    rf"|&(?P<named>quot|apos|amp|equals|colon|lowbar);|(?P<invisible>[{INVISIBLE}]+)"
)
_NAMED = {"quot": '"', "apos": "'", "amp": "&", "equals": "=", "colon": ":", "lowbar": "_"}
_BASE64 = re.compile(r"[A-Za-z0-9+/]{16,}+(?:\r?\n[A-Za-z0-9+/]{4,}+){0,2000}+={0,2}")
_MOST_ENCODED = 40_000  # characters of one run of base64 that are decoded


def undisguised(text: str, find: Find) -> Iterator[Span]:
    """The secrets of a text that `find` sees only when escapes and invisible characters are resolved."""
    parts, places, last = list[str](), list[int](), 0
    for match in _ESCAPE.finditer(text):
        parts.append(text[last : match.start()])
        places.extend(range(last, match.start()))
        if letter := _letter(match):
            parts.append(letter)
            places.append(match.start())
        last = match.end()
    if not last:
        return
    parts.append(text[last:])
    places.extend(range(last, len(text) + 1))
    for span in find("".join(parts)):
        yield Span(span.kind, places[span.start], places[span.end])


def _letter(match: re.Match[str]) -> str:
    """What an escape stands for; nothing for an invisible character."""
    if match["named"]:
        return _NAMED[match["named"]]
    if match["decimal"]:
        return chr(int(match["decimal"]))
    code = match["percent"] or match["unicode"] or match["byte"] or match["hex"]
    return chr(int(code, 16)) if code else ""


def encoded(text: str, tokens: list[str], find: Find) -> Iterator[Span]:
    """Base64 of a text with a secret in it that begins with one of `tokens`, which are in order."""
    for match in _runs(text, tokens):
        plain = _decoded("".join(match[0][:_MOST_ENCODED].split()).rstrip("="))
        low = plain.lower()
        if plain and ("://" in low or any(clue in low for clue in CLUES)) and find(plain):
            yield Span("encoded secret", *match.span())


def _runs(text: str, tokens: list[str]) -> Iterator[re.Match[str]]:
    end = 0
    for token in tokens:
        start = text.find(token, end)
        match = _BASE64.match(text, start) if start >= end else None
        if match:
            yield match
            end = match.end()


def _decoded(run: str) -> str:
    """The text that a run of base64 encodes; nothing if it encodes none."""
    run = run[:-1] if len(run) % 4 == 1 else run  # no bytes have such a length
    raw = a2b_base64(run + "=" * (-len(run) % 4))
    text = raw.replace(b"\0", b"").decode("utf-8", "replace")  # of two bytes a letter, one is empty
    plain = text.translate({9: " ", 10: " ", 13: " "})
    return text if plain.isprintable() and plain.isascii() else ""
