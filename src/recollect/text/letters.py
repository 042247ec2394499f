"""Which characters past ASCII make a word, and which of them people write for each other.

Optional marks do not distinguish words: the points of Arabic and Hebrew, the accents of Greek, joiners and
other invisible characters. Accents on Latin letters stay, for the text index to
fold, and so do the vowel signs of Indic scripts, which are letters like others.
"""
# ruff: noqa: RUF001 - letters of other scripts are what this is about

from __future__ import annotations

from unicodedata import category, combining, decimal, normalize

# By habit, keyboard or alphabet: the Russian yo, the Turkish i's, alef with a hamza, the Persian ye and kaf,
# the dot under letters of Hindi loan words, the stroke that lengthens an Arabic word, an invisible joiner.
_ALIKE = {
    "ё": "е", "Ё": "Е", "ı": "i", "İ": "I", "أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي", "ی": "ي",
    "ک": "ك", "\u093c": "", "\u0640": "", "\u034f": "",
    "\u200b": " ",  # a space of no width
}  # fmt: skip


class _Reading(dict[int, str]):
    """What each character counts as: itself, a letter it is written for, nothing, or a space."""

    def __missing__(self, code: int) -> str:
        self[code] = read = chr(code) if code < 128 else _read(chr(code))
        return read


_READING = _Reading()


def legible(text: str) -> str:
    """A text in which every character past ASCII is a letter, a digit or a sign of a word."""
    return normalize("NFKC", text).translate(_READING)


def _read(mark: str) -> str:
    if mark in _ALIKE:
        return _ALIKE[mark]
    match category(mark):
        case "Mn" | "Mc":
            return "" if _is_point(mark) else mark
        case "Me" | "Cf":  # frames; joiners, soft hyphens and what else is not seen
            return ""
        case "Nd":
            return str(decimal(mark))
    if "\u0370" <= mark <= "\u03ff" or "\u1f00" <= mark <= "\u1fff":
        mark = normalize("NFD", mark)[0]
    return mark if mark.isalnum() else " "


def _is_point(mark: str) -> bool:
    """Whether a mark can be left out: points have combining classes from 10 to 36, accents from 200 on."""
    if "\ufe00" <= mark <= "\ufe0f" or "\U000e0100" <= mark <= "\U000e01ef":
        return True  # how a character is drawn
    return 10 <= combining(mark) <= 36 or combining(mark) >= 200
