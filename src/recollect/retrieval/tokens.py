"""Words of code and prose, in any script.

A compound (`user_id`, `user-id`, `user.id`, `userId`) gives its whole, written together so that every
spelling of it meets (`userid`), and its parts. Scripts that write words without spaces between them
(Chinese, Japanese, Korean, Thai and its neighbours) give pairs of characters.
"""

from __future__ import annotations

from itertools import groupby

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    Word: TypeAlias = tuple[str, ...]  # (word,) or (whole, part, part, ...)

LONGEST = 64  # characters of one token; longer runs are digests and blobs
_JOINTS = "_.-"
# Everything in ASCII that is neither a letter, a digit nor a joint is a space between words.
_SPACED = {code: " " for code in range(128) if not chr(code).isalnum() and chr(code) not in _JOINTS}
# Scripts that put no spaces between words, as ranges: Thai and Lao, Burmese, Khmer; ideographs, kana, hangul.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
    "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_RANGES = tuple(zip(UNSPACED[::3], UNSPACED[2::3], strict=True))

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
    found: list[Word] = []
    for run in _runs(text):
        if run.isalpha() and run.isascii() and (run[1:].islower() or run.isupper() or len(run) == 1):
            found.append((run.lower()[:LONGEST],))
        elif not run.isascii() and any(map(is_unspaced, run)):
            found += _unspaced(run)
        elif not run.isascii() and run.isupper():
            found += _compound(run.lower())  # parts are told by capitals from A to Z: it has others too
        else:
            found += _compound(run)
    return found


def _runs(text: str) -> list[str]:
    """Letters and digits, with the joints between them: a `.` or `-` only before a letter or digit."""
    if not text.isascii():
        from recollect.retrieval.letters import legible

        text = legible(text)
    runs: list[str] = []
    for run in text.translate(_SPACED).split():
        if run.isalnum():
            runs.append(run)
        else:
            runs += _jointed(run)
    return runs


def _jointed(run: str) -> list[str]:
    """The runs in letters, digits and joints. Underscores hold together what follows them, if anything."""
    found: list[str] = []
    start = 0
    for place, mark in enumerate(run):
        if mark in ".-" and not run[place + 1 : place + 2].isalnum():
            found.append(run[start:place])
            start = place + 1
    found.append(run[start:])
    return [kept for piece in found if (kept := piece.lstrip(_JOINTS))]


def _compound(run: str) -> list[Word]:
    pieces = run.replace(".", "_").replace("-", "_").split("_")
    parts = [part.casefold() for piece in pieces for part in _parts(piece)]
    kept = tuple([part for part in parts if len(part) <= LONGEST])
    if len(parts) < 2:
        return [kept] if kept else []
    whole = "".join(parts)
    if len(parts) > 2 and parts[0][0] == "v" and parts[0][1:].isdigit() and whole[1:].isdigit():
        whole = whole[1:]  # `v2.3.1`, which people write without its v too
    return [(whole, *kept)] if len(whole) <= LONGEST else [(part,) for part in kept]


def _parts(piece: str) -> list[str]:
    """What a name is put together of: `HTTPServer2` is `HTTP` and `Server2`, `3rd` is one."""
    found: list[str] = []
    start = 0
    while start < len(piece):
        end = _part_end(piece, start)
        found.append(piece[start:end])
        start = end
    return found


def _part_end(piece: str, start: int) -> int:
    mark = piece[start]
    if _is_capital(mark):
        end = _past(piece, start, _is_capital)
        if end - start > 1 and "a" <= piece[end : end + 1] <= "z":
            return end - 1  # the last capital begins the next part
        if end - start == 1 and end < len(piece) and _is_letter(piece[end]):
            end = _past(piece, end, _is_letter)
        return _past(piece, end, _is_digit)
    if _is_digit(mark):
        return _past(piece, _past(piece, start, _is_digit), _is_small)
    return _past(piece, _past(piece, start, _is_letter), _is_digit)


def _past(piece: str, start: int, accepted: Callable[[str], bool]) -> int:
    """The first place from `start` whose mark is not accepted."""
    while start < len(piece) and accepted(piece[start]):
        start += 1
    return start


def _is_capital(mark: str) -> bool:
    return "A" <= mark <= "Z"


def _is_small(mark: str) -> bool:
    return "a" <= mark <= "z"


def _is_digit(mark: str) -> bool:
    return "0" <= mark <= "9"


def _is_letter(mark: str) -> bool:
    """A letter of any script that is no capital of ours, or a sign of one."""
    return not _is_capital(mark) and not _is_digit(mark)


def is_unspaced(mark: str) -> bool:
    """Whether a character is of a script that puts no spaces between words."""
    return mark > "\u0dff" and any(first <= mark <= last for first, last in _RANGES)


def _unspaced(run: str) -> list[Word]:
    found: list[Word] = []
    for unspaced, marks in groupby(run, is_unspaced):
        piece = "".join(marks)
        if unspaced:
            pairs = [piece[start : start + 2] for start in range(len(piece) - 1)] or [piece]
            found += [(pair,) for pair in pairs]
        else:
            found += _compound(piece)
    return found


def tokens(text: str) -> list[str]:
    """Every token of a text: words, and compounds with their parts."""
    return [token for word in words(text) for token in word]
