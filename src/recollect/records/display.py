"""Text made safe to show: what is stored faithfully may still lie to a reader's eyes.

Control characters move a cursor, bidirectional ones reorder a line, zero-width ones hide in a word.
None of them reaches a terminal, an index or a prompt.
"""

import re
import unicodedata

# Joiners that Indic and Persian words and emoji need; harmless between visible characters.
_JOINERS = "\u200c\u200d"
_SPACES = re.compile(r"\s+")


def safe_text(text: str) -> str:
    """`text` with its lines kept and its invisible characters gone."""
    return "".join(
        character
        for character in text.replace("\t", "    ")
        if character == "\n" or character in _JOINERS or unicodedata.category(character)[0] != "C"
    )


def one_line(text: str) -> str:
    """`text` on one line, without invisible characters and without doubled spaces."""
    return _SPACES.sub(" ", safe_text(_SPACES.sub(" ", text))).strip()
