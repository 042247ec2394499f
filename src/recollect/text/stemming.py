"""Stems: `indexes`, `indexed` and `indexing` are all `index`.

English words are stemmed by Porter's algorithm (M. F. Porter, "An algorithm for suffix stripping", Program
14, 1980), with the two rules that its author added later (`bli` for `abli`, and `logi`). Other words lose
the endings that `endings` knows. Accents on Latin letters are dropped first, because people leave them out.

The stems are those of SQLite's porter tokenizer, with which all figures were measured; a test compares the
two. Where that differs from the paper, so do we: a word of fewer than three bytes or more than 64 stays as it
is, a suffix is never a whole word, and any `y` past the first letter counts as a vowel in step 1.
"""

from __future__ import annotations

from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

_CACHED = 1 << 17  # words: the vocabulary of some ten thousand memories
_SHORTEST, _LONGEST = 3, 64  # bytes of a word that is stemmed
_VOWELS = "aeiou"
_ACCENTS = frozenset(
    map(chr, range(0x300, 0x332))
)  # that stand alone, behind a letter they have no sign with


def _rules(pairs: str) -> dict[str, list[tuple[str, str]]]:
    """Suffixes and what replaces them, by the suffix's last letter but one; the first that fits decides."""
    rules: dict[str, list[tuple[str, str]]] = {}
    for pair in pairs.split():
        suffix, _, replacement = pair.partition(">")
        rules.setdefault(suffix[-2], []).append((suffix, replacement))
    return rules


_STEP_2 = _rules(
    "ational>ate tional>tion enci>ence anci>ance izer>ize logi>log bli>ble alli>al entli>ent eli>e ousli>ous"
    " ization>ize ation>ate ator>ate alism>al iveness>ive fulness>ful ousness>ous aliti>al iviti>ive"
    " biliti>ble"
)
_STEP_3 = _rules("ical>ic ness> icate>ic iciti>ic ful> ative> alize>al")
_STEP_4 = _rules(
    "al> ance> ence> er> ic> able> ible> ant> ement> ment> ent> ion> ou> ism> ate> iti> ous> ive> ize>"
)


@lru_cache(maxsize=_CACHED)
def stem(word: str) -> str:
    """The stem of a word in small letters."""
    if not word.isascii():
        word = word.translate(_BASES)
        if not word.isascii():
            from recollect.text.endings import root  # 0.5 ms, which English prompts are spared

            return root(_porter(word))
    return _porter(word)


def stems(words: Iterable[str]) -> list[str]:
    """The stem of each word."""
    return [stem(word) for word in words]


def _porter(word: str) -> str:
    if not _SHORTEST <= len(word.encode("utf-8", "surrogatepass")) <= _LONGEST:
        return word
    word = _without_past(_without_plural(word))
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(word, _STEP_2, lambda rest, _: _measure(rest) > 0)
    word = _replaced(word, _STEP_3, lambda rest, _: _measure(rest) > 0)
    word = _replaced(word, _STEP_4, _step_4_applies)
    return _without_last_letter(word)


def _without_plural(word: str) -> str:
    """Step 1a: `caresses` is `caress`, `ponies` is `poni`, `cats` is `cat`."""
    if not word.endswith("s") or word.endswith("ss"):
        return word
    if (word.endswith("sses") and len(word) > 4) or (word.endswith("ies") and len(word) > 3):
        return word[:-2]
    return word[:-1]


def _without_past(word: str) -> str:
    """Step 1b: `agreed` is `agree`, `plastered` is `plaster`, `motoring` is `motor`."""
    if word.endswith("eed") and len(word) > 3:
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        rest = word.removesuffix(suffix)
        if rest != word and rest and _has_vowel(rest):
            return _repaired(rest)
    return word


def _repaired(word: str) -> str:
    """A word that lost `ed` or `ing`, as it was before: `conflat` is `conflate`, `hopp` is `hop`."""
    if word.endswith(("at", "bl", "iz")) and len(word) > 2:
        return word + "e"
    if word[-1] == word[-2:-1] and word[-1].isascii() and word[-1] not in "aeioulsz":
        return word[:-1]
    return word + "e" if _measure(word) == 1 and _is_short(word) else word


def _replaced(
    word: str, rules: Mapping[str, Sequence[tuple[str, str]]], applies: Callable[[str, str], bool]
) -> str:
    for suffix, replacement in rules.get(word[-2:-1], ()):
        if word.endswith(suffix) and len(word) > len(suffix):
            rest = word[: -len(suffix)]
            return rest + replacement if applies(rest, suffix) else word
    return word


def _step_4_applies(rest: str, suffix: str) -> bool:
    return _measure(rest) > 1 and (suffix != "ion" or rest.endswith(("s", "t")))


def _without_last_letter(word: str) -> str:
    """Step 5: `probate` is `probat`, `controll` is `control`."""
    if word.endswith("e"):
        rest = word[:-1]
        measure = _measure(rest)
        if measure > 1 or (measure == 1 and not _is_short(rest)):
            word = rest
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


def _measure(word: str) -> int:
    """How often a consonant follows a vowel: Porter's m."""
    return _kinds(word).count("vc")


def _kinds(word: str) -> str:
    """Each letter as a vowel (`v`) or a consonant (`c`). A `y` behind a consonant is a vowel."""
    kinds, kind = "", "v"
    for letter in word:
        kind = "v" if letter in _VOWELS or (letter == "y" and kind == "c") else "c"
        kinds += kind
    return kinds


def _has_vowel(word: str) -> bool:
    return any(letter in _VOWELS for letter in word) or "y" in word[1:]


def _is_short(word: str) -> bool:
    """Whether a word ends in consonant, vowel, consonant, the last not w, x or y: Porter's *o."""
    return word[-1:] not in {"w", "x", "y"} and _kinds(word).endswith("cvc")


class _Bases(dict[int, str]):
    """What each character becomes: a Latin letter without its accents, nothing for an accent, or itself."""

    def __missing__(self, code: int) -> str:
        from unicodedata import combining, normalize  # as above

        parts = normalize("NFD", chr(code))
        base, marks = parts[0], parts[1:]
        if chr(code) in _ACCENTS:
            base = ""
        elif not (base.isascii() and marks and all(map(combining, marks))):
            base = chr(code)
        self[code] = base
        return base


_BASES = _Bases()
