"""Words of code and prose, in any script.

A compound (`user_id`, `user-id`, `user.id`, `userId`) gives its whole, written together so that every
spelling of it meets (`userid`), and its parts. Chinese, Japanese and Korean, which write words without
spaces between them, give pairs of characters.
"""

import re
import unicodedata
from typing import TypeAlias

Word: TypeAlias = tuple[str, ...]  # (word,) or (whole, part, part, ...)

LONGEST = 64  # characters of one token; longer runs are digests and blobs
_RUN = re.compile(r"[^\W_](?:\w|[.\-](?=[^\W_]))*")
_PART = re.compile(
    r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[^\W\dA-Z_]+[0-9]*|[A-Z]+[0-9]*|[0-9]+[a-z]*|[^\W_A-Za-z0-9]+"
)
_JOINTS = re.compile(r"[_.\-]+")
_UNSPACED = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
UNSPACED_RUN = re.compile(f"([{_UNSPACED}]+)")

# English words that carry no subject; question words among them, which is worth six points of recall.
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
        text = unicodedata.normalize("NFKC", text)
    found: list[Word] = []
    for run in _RUN.findall(text):
        if run.isascii() and run.isalpha() and (run[1:].islower() or run.isupper() or len(run) == 1):
            found.append((run.lower()[:LONGEST],))
        elif not run.isascii() and UNSPACED_RUN.search(run):
            found += _unspaced(run)
        else:
            found += _compound(run)
    return found


def _compound(run: str) -> list[Word]:
    parts = [part.lower() for piece in _JOINTS.split(run) for part in _PART.findall(piece)]
    whole = "".join(parts)
    kept = tuple(part for part in parts if len(part) <= LONGEST)
    if len(parts) < 2:
        return [kept] if kept else []
    return [(whole, *kept)] if len(whole) <= LONGEST else [(part,) for part in kept]


def _unspaced(run: str) -> list[Word]:
    found: list[Word] = []
    for piece in UNSPACED_RUN.split(run):
        if not piece:
            continue
        if UNSPACED_RUN.fullmatch(piece):
            pairs = [piece[start : start + 2] for start in range(len(piece) - 1)] or [piece]
            found += [(pair,) for pair in pairs]
        else:
            found += _compound(piece)
    return found


def tokens(text: str) -> list[str]:
    """Every token of a text: words, and compounds with their parts."""
    return [token for word in words(text) for token in word]
