"""Stems: forms of a word meet, and they are the stems that SQLite's porter tokenizer makes."""

import random
import sqlite3
import unicodedata
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement
from tests.soak import times

from recollect.storage.sqlite.schema import TOKENIZER
from recollect.text.endings import root
from recollect.text.stemming import stem, stems
from recollect.text.tokens import tokens

SUFFIXES = """s es ies sses ed eed ing at bl iz ational tional enci anci izer logi bli alli entli eli ousli
    ization ation ator alism iveness fulness ousness aliti iviti biliti ical ness icate iciti ful ative alize
    al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize y e ll yy
    yed""".split()  # noqa: SIM905


@pytest.fixture(scope="module")
def porter() -> Iterator[sqlite3.Connection]:
    """A database whose `stem` has the stem of each row of `word`."""
    db = sqlite3.connect(":memory:")
    db.execute(f"CREATE VIRTUAL TABLE word USING fts5(text, tokenize='porter {TOKENIZER}')")
    db.execute("CREATE VIRTUAL TABLE stem USING fts5vocab(word, instance)")
    yield db
    db.close()


def stemmed_by_sqlite(words: list[str], db: sqlite3.Connection) -> list[str]:
    db.execute("DELETE FROM word")
    db.executemany("INSERT INTO word(rowid, text) VALUES (?, ?)", enumerate(words, start=1))
    terms = dict(db.execute("SELECT doc, term FROM stem WHERE offset = 0"))
    found = [terms[number] for number in range(1, len(words) + 1)]
    return [term if term.isascii() else root(term) for term in found]


def test_forms_of_a_word_have_one_stem_and_accents_do_not_count() -> None:
    found = stems(["retries", "retry", "retrying", "café", "cafe", "数据"])

    assert found == ["retri", "retri", "retri", "cafe", "cafe", "数据"]


def test_what_has_no_stem_is_its_own() -> None:
    assert stems(["--", "", "x", "s", "ss"]) == ["--", "", "x", "s", "ss"]


def test_forms_of_a_word_that_porter_does_not_know_have_one_stem() -> None:
    found = stems(["серверов", "сервер", "القانون", "قانون", "मुद्राओं", "मुद्रा"])

    assert found[::2] == found[1::2]


@requirement("retrieval:lexical:porter")
def test_english_stems_are_those_of_sqlite(porter: sqlite3.Connection) -> None:
    """Words put together of every suffix that a rule speaks of, so that each rule meets each other.

    RECOLLECT_SOAK=6 tries six times as many beginnings, some 145,000 words.
    """
    chance = random.Random(1)
    tries = times(10)
    starts = [
        "".join(chance.choices("abcdeilnorstuxyz", k=size)) for size in range(7) for _ in range(tries)
    ]
    words = {
        start + one + two for start in starts for one in ["", *SUFFIXES] for two in ["", *SUFFIXES]
    }
    words |= {"a" * 62 + ending for ending in ("s", "es", "ing")}  # more than 64 bytes stay as they are
    ordered = sorted(words - {""})

    assert len(ordered) > 2_000 * tries
    assert stems(ordered) == stemmed_by_sqlite(ordered, porter)


@requirement("retrieval:lexical:porter")
def test_letters_with_accents_are_folded_as_sqlite_folds_them(porter: sqlite3.Connection) -> None:
    """All but the few that SQLite leaves alone, which have two accents of which one is a dot."""
    letters = [chr(code) for code in range(0xC0, 0x1F00) if unicodedata.category(chr(code)) == "Ll"]
    folded = [letter for letter in letters if "DOT ABOVE AND" not in unicodedata.name(letter)]
    words = [word for letter in folded for word in tokens(f"x{letter}") if not word.isascii()]

    assert stems(words) == stemmed_by_sqlite(words, porter)


@given(st.text(max_size=60) | st.text(st.characters(categories=["L", "M", "N", "Cf"]), max_size=60))
def test_the_text_index_keeps_a_stem_as_it_is(text: str) -> None:
    """Otherwise a query's stem would not meet the document's."""
    kept = set(stems(tokens(text)))
    db = sqlite3.connect(":memory:")
    db.execute(f"CREATE VIRTUAL TABLE t USING fts5(x, tokenize='{TOKENIZER}')")
    db.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, row)")
    db.execute("INSERT INTO t VALUES (?)", (" ".join(kept),))

    indexed = {row[0] for row in db.execute("SELECT term FROM v")}
    db.close()

    assert indexed == kept


@given(st.text(max_size=80))
def test_any_text_has_a_stem(text: str) -> None:
    assert isinstance(stem(text), str)
