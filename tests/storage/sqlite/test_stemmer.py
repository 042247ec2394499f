"""Stems, asked of SQLite."""

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.retrieval.tokens import tokens
from recollect.storage.sqlite import stemmer
from recollect.storage.sqlite.stemmer import FOLDING, Stemmer


def test_forms_of_a_word_have_one_stem_and_marks_are_folded() -> None:
    found = Stemmer().stems(["retries", "retry", "retrying", "café", "CAFE", "数据"])

    assert found == ["retri", "retri", "retri", "cafe", "cafe", "数据"]


def test_what_has_no_stem_is_its_own() -> None:
    assert Stemmer().stems(["--", "", "x"]) == ["--", "", "x"]


def test_a_stemmer_that_has_seen_too_much_forgets_and_is_still_right(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stemmer, "_MOST_KNOWN", 3)
    one = Stemmer()
    words = ["queues", "locks", "retries", "shards", "tokens"]

    for _ in range(3):
        for word in words:
            assert one.stems([word, "queues"]) == Stemmer().stems([word, "queues"])
    assert one.text(words) == " ".join(Stemmer().stems(words))


def test_forms_of_a_word_that_porter_does_not_know_have_one_stem() -> None:
    found = Stemmer().stems(["серверов", "сервер", "القانون", "قانون", "मुद्राओं", "मुद्रा"])

    assert found[::2] == found[1::2]


@given(st.text(max_size=60) | st.text(st.characters(categories=["L", "M", "N", "Cf"]), max_size=60))
def test_the_text_index_keeps_a_stem_as_it_is(text: str) -> None:
    """Otherwise a query's stem would not meet the document's."""
    stems = set(Stemmer().stems(tokens(text)))
    db = sqlite3.connect(":memory:")
    db.execute(f"CREATE VIRTUAL TABLE t USING fts5(x, tokenize='{FOLDING}')")
    db.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, row)")
    db.execute("INSERT INTO t VALUES (?)", (" ".join(stems),))

    kept = {row[0] for row in db.execute("SELECT term FROM v")}
    db.close()

    assert kept == stems
