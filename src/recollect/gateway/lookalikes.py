"""Letters that look like others: what a reader sees in a name, whatever it is written with."""

import unicodedata

from recollect.records.display import one_line

# Letters of other scripts that readers take for Latin ones (Unicode TR 39, the part that fonts draw alike).
_ALIKE = {
    "a": "\u0430\u03b1\u0251",
    "b": "\u042c\u0184\u0432",
    "c": "\u0441\u03f2\u1d04",
    "d": "\u0501",
    "e": "\u0435\u03b5\u04bd",
    "g": "\u0261\u0581",
    "h": "\u04bb\u0570\u043d",
    "i": "\u0456\u03b9\u0131\u0269\u04cf",
    "j": "\u0458\u03f3",
    "k": "\u043a\u03ba",
    "l": "\u217c|",
    "m": "\u043c\u1d0d",
    "n": "\u0578\u0572\u03b7",
    "o": "\u043e\u03bf\u0585\u1d0f",
    "p": "\u0440\u03c1",
    "q": "\u051b\u0563",
    "r": "\u0433\u1d26",
    "s": "\u0455\ua731",
    "t": "\u0442\u03c4",
    "u": "\u03c5\u057d\u1d1c",
    "v": "\u0475\u03bd\u1d20",
    "w": "\u051d\u0461\u1d21",
    "x": "\u0445\u03c7",
    "y": "\u0443\u04af\u03b3",
    "z": "\u1d22\u0290",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2212",
    "'": "\u2019\u2018\u02bc",
}
_LATIN = {ord(other): latin for latin, others in _ALIKE.items() for other in others}


def folded(text: str) -> str:
    """`text` on one line in small letters, without invisible characters and typographic variants."""
    if is_plain(text):
        return " ".join(text.split()).lower()
    return one_line(unicodedata.normalize("NFKC", one_line(text)).casefold())


def is_plain(text: str) -> bool:
    """Whether a text is ASCII and shows all of its characters: nothing can hide in it."""
    return text.isascii() and text.replace("\n", " ").isprintable()


def skeleton(text: str) -> str:
    """What a reader sees: equal for texts that look the same."""
    plain = folded(text)
    if plain.isascii():
        return plain
    bare = "".join(
        mark for mark in unicodedata.normalize("NFD", plain) if not unicodedata.combining(mark)
    )
    return bare.translate(_LATIN)


def is_disguised(name: str) -> bool:
    """Whether a name passes for an ASCII one although other scripts or styles of letters write it.

    Accents are no disguise: they are seen.
    """
    if name.isascii() or not skeleton(name).isascii():
        return False
    composed = unicodedata.normalize("NFC", name)
    is_styled = unicodedata.normalize("NFKC", composed) != composed
    return is_styled or any(_is_foreign(mark) for mark in composed.casefold())


def _is_foreign(mark: str) -> bool:
    return ord(mark) in _LATIN and not unicodedata.name(mark, "").startswith("LATIN SMALL LETTER")
