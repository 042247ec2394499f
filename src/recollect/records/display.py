"""Make text safe to show: stored text may contain characters that mislead a reader.

Control characters move a cursor, bidirectional ones reorder a line, zero-width ones hide in a word.
None of them reaches a terminal, an index or a prompt.
"""

from __future__ import annotations

# Joiners that Indic and Persian words and emoji need, one at a time and never beside a plain letter.
_JOINERS = "\u200c\u200d"
_LOOSE_JOINER = rf"(?<![^\x00-\x7f{_JOINERS}])[{_JOINERS}]|[{_JOINERS}](?![^\x00-\x7f])"
# Letters and marks that show nothing: fillers and the selectors that no font needs.
_BLANK = (
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0\U000e0100-\U000e01ef]"
    "|(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]"
)


def safe_text(text: str) -> str:
    """`text` with its lines kept and its invisible characters gone."""
    text = text.replace("\t", "    ")
    if text.isascii():
        return "".join([mark for mark in text if mark.isprintable() or mark == "\n"])
    import re
    import unicodedata

    visible = "".join(
        character
        for character in re.sub(_BLANK, "", text)
        if character == "\n" or character in _JOINERS or unicodedata.category(character)[0] != "C"
    )
    return re.sub(_LOOSE_JOINER, "", visible)


def one_line(text: str) -> str:
    """`text` on one line, without invisible characters and without doubled spaces."""
    return " ".join(safe_text(" ".join(text.split())).split())
