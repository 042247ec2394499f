"""Endings of languages that SQLite's stemmer does not know, taken off so that forms of a word meet.

By rules alone, without a dictionary: words that only look like forms of one another meet too, and forms
whose stem changes do not.
"""
# ruff: noqa: RUF001 - letters of other scripts are what this is about

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SHORTEST = 3  # characters that are left of a word
LEAST_ALIKE = 4  # characters at the start that two forms of a word have in common
MOST_CUT = 3  # characters at the end that they need not
# Of nouns and adjectives, as `letters.legible` leaves them: in Russian and its neighbours, in Greek, Arabic,
# Hebrew, and in Hindi and what is written like it.
_ENDINGS = (
    "а я о е и ы у ю ь й і ї є ом ем ам ям ах ях ых их ым им ов ев ого его ому ему "
    "α ε η ι ο υ ω ασ εσ ησ οσ υσ εισ ουσ ων ον ην αν "
    "ة ه ي ات ان ون ين ها هم نا ية "
    "ים ות "
    "ा ि ी ु ू े ै ो ौ ं ँ आ ई ए ओ िय"
)
_SUFFIXES = tuple(sorted(_ENDINGS.split(), key=lambda ending: (-len(ending), ending)))
_ARTICLES = tuple("وال بال كال فال لل ال".split())  # noqa: SIM905 - Arabic: and, by, like, so, to the; the
_PARTICLES = "وفبكل"  # the same without `the`; not taken off, for many words begin with one of these


def root(word: str) -> str:
    """A word without its article and its endings, one after the other while enough of it is left."""
    while article := _first(_ARTICLES, word, str.startswith):
        word = word.removeprefix(article)
    while ending := _first(_SUFFIXES, word, str.endswith):
        word = word.removesuffix(ending)
    return word


def _first(affixes: tuple[str, ...], word: str, has: Callable[[str, str], bool]) -> str | None:
    fitting = (affix for affix in affixes if has(word, affix) and len(word) - len(affix) >= SHORTEST)
    return next(fitting, None)


def beginnings(stem: str) -> Iterator[str]:
    """The starts of words that an unknown word may be a form of, the longest first."""
    if stem[0] in _PARTICLES and len(stem) > SHORTEST:
        yield stem[1:]
    for cut in range(1, MOST_CUT + 1):
        if len(stem) - cut >= LEAST_ALIKE:
            yield stem[:-cut]
