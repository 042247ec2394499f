"""Stems, asked of SQLite's own Porter stemmer; past ASCII, by rules of our own besides.

The text index is given stems and keeps them as they are; so is a query. Letting FTS5 stem by itself would
stem a query's stems once more, and Porter's stems do not all stay what they are.
"""

from __future__ import annotations

import sqlite3

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# What the text index does to a stem: nothing, it is folded. Marks are part of it: unicode61 would by
# itself cut an Indic word at each of its vowel signs.
FOLDING = "unicode61 remove_diacritics 2 categories ''L* M* N* Co''"
_MOST_KNOWN = 200_000  # words remembered


class Stemmer:
    """Word in, stem out. Remembers what it was asked."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._scratch = sqlite3.connect(":memory:", check_same_thread=False)
        self._scratch.execute(
            f"CREATE VIRTUAL TABLE word USING fts5(text, tokenize='porter {FOLDING}')"
        )
        self._scratch.execute("CREATE VIRTUAL TABLE stem USING fts5vocab(word, instance)")

    def stems(self, words: Sequence[str]) -> list[str]:
        """The stem of each word; a word that has none (punctuation) is its own."""
        unknown = sorted({word for word in words if word not in self._known})
        if unknown:
            if len(self._known) > _MOST_KNOWN:
                self._known = dict.fromkeys(words, "")
                unknown = sorted(self._known)
            self._known.update(self._asked(unknown))
        return [self._known[word] for word in words]

    def text(self, tokens: Sequence[str]) -> str:
        """What the text index is given."""
        return " ".join(self.stems(tokens))

    def _asked(self, words: list[str]) -> dict[str, str]:
        self._scratch.execute("DELETE FROM word")
        rows = enumerate(words, start=1)
        self._scratch.executemany("INSERT INTO word(rowid, text) VALUES (?, ?)", rows)
        found = dict(self._scratch.execute("SELECT doc, term FROM stem WHERE offset = 0"))
        stems = {word: found.get(number, word) for number, word in enumerate(words, start=1)}
        foreign = [word for word in words if not stems[word].isascii()]
        if foreign:
            from recollect.retrieval.endings import root

            stems.update((word, root(stems[word])) for word in foreign)
        return stems
