"""What is kept of a query."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement

from recollect.retrieval.query import (
    KEPT_WHOLE,
    MOST_TERMS,
    MOST_TEXT,
    Query,
    idf,
    parse,
)

COMMON = 400
DOCUMENTS = 1000
LETTERS = "bkmnopqrtv"  # of which stemming takes none off


def everywhere(stems: Sequence[str]) -> Mapping[str, int]:
    return dict.fromkeys(stems, COMMON)


def parsed(text: str, rare: Sequence[str] = (), unknown: Sequence[str] = ()) -> Query:
    """A query over an index that knows every word, some of them as rare ones."""

    def frequencies(stems: Sequence[str]) -> Mapping[str, int]:
        return {stem: 2 if stem in rare else COMMON for stem in stems if stem not in unknown}

    return parse(text, frequencies, DOCUMENTS)


def stems(query: Query) -> list[str]:
    return [term.stem for term in query.terms]


def filler(count: int, prefix: str = "word") -> str:
    """Lines of words, none of them said twice and none a compound."""
    words = [prefix + "".join(LETTERS[int(digit)] for digit in str(number)) for number in range(count)]
    return "\n".join(" ".join(words[start : start + 10]) for start in range(0, count, 10))


def test_a_short_query_keeps_every_word_but_stop_words() -> None:
    query = parsed("How do we sign the JWT at login? The JWT!")

    assert stems(query) == ["sign", "jwt", "login"]
    assert [term.times for term in query.terms] == [1, 1, 1]
    assert query.word_count == len(query.terms)


def test_a_word_that_is_one_letter_is_dropped_unless_it_is_an_ideograph() -> None:
    assert stems(parsed("x y 锁 z")) == ["锁"]


def test_words_in_a_row_are_pairs_each_once_and_only_among_what_is_searched_for() -> None:
    assert parsed("sign the JWT at login, JWT login token").pairs == (
        ("login", "jwt"),
        ("jwt", "login"),
        ("login", "token"),
    )
    assert parsed("check userId twice, twice twice").pairs == (
        ("check", "userid"),
        ("user", "id"),
        ("id", "twice"),
    )
    assert parsed("jwt login token", unknown=["login"]).pairs == ()
    assert parsed("数据库").pairs == (("数据", "据库"),)
    long = parsed(f"ledger quota\n{filler(KEPT_WHOLE)}", rare=["ledger", "quota"])
    assert long.word_count > len(long.terms)
    assert ("ledger", "quota") in long.pairs
    assert {stem for pair in long.pairs for stem in pair} <= set(stems(long))


def test_a_query_of_as_many_words_as_are_kept_is_whole_and_one_more_is_reduced() -> None:
    assert len(parsed(filler(KEPT_WHOLE)).terms) == KEPT_WHOLE
    longer = parsed(filler(KEPT_WHOLE + 1))
    assert len(longer.terms) == MOST_TERMS
    assert longer.word_count > len(longer.terms)
    assert longer.word_count == KEPT_WHOLE + 1


@requirement("retrieval:query:long-reduced")
def test_the_first_line_carries_a_long_query_and_counts_twice() -> None:
    query = parsed(f"\nLogin deadlocks under load\n{filler(200, 'aaa')}")

    kept = {term.stem: term.times for term in query.terms}
    assert kept.items() >= {"login": 2, "deadlock": 2, "load": 2}.items()
    assert sorted(set(kept.values())) == [1, 2]


@requirement("retrieval:query:long-reduced")
def test_identifiers_carry_a_long_query() -> None:
    text = f"{filler(100, 'aaa')}\nsee refresh_token and TokenStore\n{filler(100, 'bbb')}"

    assert {"refreshtoken", "tokenstor"} <= set(stems(parsed(text)))


@requirement("retrieval:query:long-reduced")
def test_rare_words_carry_a_long_query_and_unknown_ones_do_not() -> None:
    text = f"{filler(100, 'aaa')}\nzebra unicorn\n{filler(100, 'bbb')}"

    query = parsed(text, rare=["zebra"], unknown=["unicorn"])

    assert "zebra" in stems(query)
    assert "unicorn" not in stems(query)


def test_a_word_said_in_prose_outweighs_one_said_as_often_in_code() -> None:
    code = "\n".join(f"    {line}" for line in filler(60, "code").splitlines())
    fence = f"```\n{filler(60, 'fence')}\n```"

    kept = stems(parsed(f"{code}\n{fence}\n{filler(MOST_TERMS, 'prose')}\n"))

    first_line = {"code" + suffix for suffix in LETTERS}  # counts double wherever it stands
    assert {stem for stem in kept if not stem.startswith("prose")} <= first_line


def test_only_the_start_of_a_very_long_text_is_read() -> None:
    query = parsed("word " * (MOST_TEXT // 5) + "end")

    assert stems(query) == ["word"]
    assert len(query.text) == MOST_TEXT


@pytest.mark.parametrize(("frequency", "more"), [(1, 2), (10, 11), (999, 1000)])
def test_a_rarer_term_tells_more_and_none_tells_less_than_nothing(frequency: int, more: int) -> None:
    assert idf(1000, frequency) > idf(1000, more) > 0


@given(st.text(max_size=3000))
def test_any_text_makes_a_query_of_few_terms_the_same_each_time(text: str) -> None:
    query = parse(text, everywhere, DOCUMENTS)

    assert len(query.terms) <= KEPT_WHOLE
    assert len(set(stems(query))) == len(query.terms)
    assert query == parse(text, everywhere, DOCUMENTS)
