"""Make text safe to show: stored text may contain characters that mislead a reader.

Control characters move a cursor, bidirectional ones reorder a line, zero-width ones hide in a word, and a
line that looks like one of ours passes for another memory. None of that reaches a terminal, an index, a
prompt or a tool's answer: every view takes stored text through this module.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# What some reader takes for the end of a line: CR, VT, FF, the separators of ASCII, NEL, LS and PS.
_LINE_ENDS = dict.fromkeys(map(ord, "\r\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029"), " ")
# Joiners that Indic and Persian words and emoji need, one at a time and never beside a plain letter.
_JOINERS = "\u200c\u200d"
_LOOSE_JOINER = rf"(?<![^\x00-\x7f{_JOINERS}])[{_JOINERS}]|[{_JOINERS}](?![^\x00-\x7f])"
# Letters and marks that show nothing: fillers and the selectors that no font needs.
_BLANK = "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0\U000e0100-\U000e01ef]"
# Selectors of a form of the character before: not twice, and for no ASCII but that of keycaps.
_LOOSE_SELECTOR = (
    rf"(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]|(?<![^\x00-\x7f{_JOINERS}])(?<![0-9#*])[\ufe00-\ufe0f]"
)


def safe_text(text: str) -> str:
    """`text` with its lines kept and its invisible characters gone; only a newline ends one."""
    text = text.replace("\t", "    ").replace("\r\n", "\n").translate(_LINE_ENDS)
    if text.isascii():
        if text.isprintable():
            return text
        return "".join([mark for mark in text if mark.isprintable() or mark == "\n"])
    import re
    import unicodedata

    visible = "".join(
        character
        for character in re.sub(_BLANK, "", text)
        if character == "\n" or character in _JOINERS or unicodedata.category(character)[0] != "C"
    )
    while (clean := re.sub(f"{_LOOSE_JOINER}|{_LOOSE_SELECTOR}", "", visible)) != visible:
        visible = clean  # what stood before one may not allow the next
    return clean


def one_line(text: str) -> str:
    """`text` on one line, without invisible characters and without doubled spaces."""
    return " ".join(safe_text(text).split())


def label(text: str) -> str:
    """`text` on one line in which nothing looks like the `(id: ...)` that we add to the line."""
    line = one_line(text)
    if "id" not in line.lower():
        return line
    import re

    return re.sub(r"([(,]\s*id)\s*[:\uff1a]", r"\1", line, flags=re.IGNORECASE)


def quoted(text: str, indent: str = "") -> str:
    """`text` as a block: each of its lines is marked, so that none passes for a line of ours."""
    return "\n".join(f"{indent}| {line}".rstrip() for line in safe_text(text).split("\n"))


def safe_values(value: Any) -> Any:
    """A JSON value whose texts, names included, are safe."""
    if isinstance(value, str):
        return safe_text(value)
    if isinstance(value, dict):
        return {safe_text(name): safe_values(inner) for name, inner in value.items()}
    return [safe_values(inner) for inner in value] if isinstance(value, list | tuple) else value
