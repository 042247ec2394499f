"""Words of code and prose, in any script.

A compound (`user_id`, `user-id`, `user.id`, `userId`) gives one token that is the same for every spelling
(`userid`), and its parts. Scripts without spaces between words (Chinese, Japanese, Korean, Thai and its
neighbours) give pairs of characters.
"""

from __future__ import annotations

import re
from itertools import groupby

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Word: TypeAlias = tuple[str, ...]  # (word,) or (whole, part, part, ...)

LONGEST = 64  # characters of one token; longer runs are digests and blobs
_LETTER = r"[^\x00-/:-@\[-`{-\x7f]"  # or a digit, or a mark of a word in another script
_NAME = rf"{_LETTER}[^\x00-/:-@\[-^`{{-\x7f]*"  # letters and underscores
_RUN = re.compile(rf"{_NAME}(?:[.\-]{_NAME})*")
# `HTTPServer2` is `HTTP` and `Server2`; `3rd` is one part.
_PART = "[A-Z]+(?=[A-Z][a-z])|[A-Z]?[^A-Z0-9_.-]+[0-9]*|[A-Z]+[0-9]*|[0-9]+[a-z]*"
# Scripts that put no spaces between words, as ranges: Thai and Lao, Burmese, Khmer; ideographs, kana, hangul.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
    "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_AFTER_LATIN = "\u0250"
_RANGES = tuple(zip(UNSPACED[::3], UNSPACED[2::3], strict=True))

# English words that carry no subject: the one list of them. Question words are among them; leaving them out
# of queries is worth six points of recall.
STOP_WORDS = frozenset(
    """a about above after again against all also am an and any are as at be been before being below
    between both but by can could did do does doing don down during each else few for from further had
    has have having he her here hers herself him himself his how i if in into is it its itself just may
    me might more most must my myself no nor not now of off on once only or other our ours ourselves out
    over own s same shall she should so some such t than that the their theirs them themselves then there
    these they this those through to too under until up very was we were what when where which while who
    whom whose why will with would you your yours yourself yourselves""".split()  # noqa: SIM905
)


def words(text: str) -> list[Word]:
    """The words of a text, in order, repeats included."""
    if not text.isascii():
        from recollect.text.letters import legible  # costs 0.5 ms, which ASCII prompts save

        text = legible(text)
    result: list[Word] = []
    for run in _RUN.findall(text):
        if run.isalpha() and run.isascii() and (run[1:].islower() or run.isupper() or len(run) == 1):
            result.append((run.lower()[:LONGEST],))
        elif not run.isascii() and any(map(is_unspaced, run)):
            result += _unspaced(run)
        elif not run.isascii() and run.isupper():
            result += _compound(run.lower())  # capitals of other alphabets do not begin a part
        else:
            result += _compound(run)
    return result


def _compound(run: str) -> list[Word]:
    parts = [part.casefold() for part in re.findall(_PART, run)]
    short = tuple([part for part in parts if len(part) <= LONGEST])
    if len(parts) < 2:
        return [short] if short else []
    whole = "".join(parts)
    if len(parts) > 2 and parts[0][0] == "v" and parts[0][1:].isdigit() and whole[1:].isdigit():
        whole = whole[1:]  # `v2.3.1` and `2.3.1` are the same version
    return [(whole, *short)] if len(whole) <= LONGEST else [(part,) for part in short]


def is_latin(text: str) -> bool:
    """Whether at least half of the letters of a text are Latin; a text without letters counts as Latin."""
    letters = [mark for mark in text if mark.isalpha()]
    return 2 * sum(mark < _AFTER_LATIN for mark in letters) >= len(letters)


def is_unspaced(mark: str) -> bool:
    """Whether a character is of a script that puts no spaces between words."""
    return mark > "\u0dff" and any(first <= mark <= last for first, last in _RANGES)


def _unspaced(run: str) -> list[Word]:
    result: list[Word] = []
    for unspaced, marks in groupby(run, is_unspaced):
        piece = "".join(marks)
        if unspaced:
            pairs = [piece[start : start + 2] for start in range(len(piece) - 1)] or [piece]
            result += [(pair,) for pair in pairs]
        else:
            result += _compound(piece)
    return result


def tokens(text: str) -> list[str]:
    """Every token of a text: words, and compounds with their parts."""
    return [token for word in words(text) for token in word]
