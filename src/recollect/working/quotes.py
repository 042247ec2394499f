"""Which words of a message are somebody else's? Quotations, blanked out at the same length."""

from __future__ import annotations

_PAIRS = {'"': '"', "“": "”", "«": "»", "„": "“"}
_LONGEST = 2_000  # characters of one quotation; a mark without its pair is no quotation
_BLANK = " "


def masked(text: str) -> str:
    """The text with quoted words, Markdown quotations and links as blanks; every position stays."""
    parts: list[str] = []
    at = 0
    while at < len(text):
        closing = _PAIRS.get(text[at])
        end = text.find(closing, at + 1, at + _LONGEST) if closing and _may_open(text, at) else -1
        if end < 0:
            parts.append(text[at])
            at += 1
            continue
        inside = text[at + 1 : end]
        parts.append(
            text[at] + "".join([mark if mark == "\n" else _BLANK for mark in inside]) + text[end]
        )
        at = end + 1
    return _without_quoted_lines("".join(parts))


def _may_open(text: str, at: int) -> bool:
    """Whether a mark opens a quotation: a straight one after a word closes or means inches."""
    return text[at] != '"' or at == 0 or not text[at - 1].isalnum()


def _without_quoted_lines(text: str) -> str:
    if ">" not in text:
        return text
    lines = text.split("\n")
    return "\n".join([_BLANK * len(line) if line.lstrip().startswith(">") else line for line in lines])
