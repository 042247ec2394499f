"""What is kept of a query."""

import time
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement

from recollect.retrieval.query import (
    KEPT_WHOLE,
    LONG_LINE,
    MOST_PARTS,
    MOST_TERMS,
    MOST_TEXT,
    Query,
    idf,
    opening,
    parse,
)

GENEROUS = 5.0  # seconds of processor time: quadratic work takes longer
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


@requirement("retrieval:query:parts")
def test_a_long_text_is_searched_for_by_its_lines_and_sentences_and_a_short_one_whole() -> None:
    sentences = " ".join(f"The {name} of {name}er has its own word." for name in ("ledger", "quota"))
    padding = filler(KEPT_WHOLE)
    long = f"Exports fail\n\n- the ledger shard of the exports\n- the quota of everyone\n{padding}\n"

    texts = {part.text for part, _ in parsed(long).parts}

    assert parsed("the ledger shard, the quota").parts == ()
    assert texts > {"Exports fail - the ledger shard of the exports", "- the quota of everyone"}
    long_line = f"{sentences} {sentences} {sentences} {sentences}"
    assert len(long_line) > LONG_LINE
    assert "The quota of quotaer has its own word." in [
        part.text for part, _ in parsed(f"{long_line}\n{padding}").parts
    ]


@requirement("retrieval:query:parts")
def test_pasted_code_is_one_part_that_counts_half_and_the_first_line_counts_twice() -> None:
    pasted = "\n".join(f"    frame{number} shard" for number in range(KEPT_WHOLE))

    parts = parsed(f"Why does the ledger shard fail?\n{pasted}\nIt worked before the update.").parts

    weights = {part.text.split()[0]: weight for part, weight in parts}
    assert weights == {"Why": 2.0, "It": 1.0, "frame0": 0.5}
    assert all(len(part.terms) <= MOST_TERMS for part, _ in parts)


@given(st.text(max_size=3000))
def test_parts_are_bounded_whatever_the_text(text: str) -> None:
    query = parsed(text + filler(KEPT_WHOLE + 1))

    assert len(query.parts) <= MOST_PARTS
    assert all(0 < len(part.terms) <= KEPT_WHOLE for part, _ in query.parts)


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


@pytest.mark.parametrize(
    "form",
    [
        "You are a senior engineer with thirty years of experience.",
        "Answer briefly.",
        "Please reply in three sentences:",
        "Keep it short.",
        "Think step by step.",
    ],
)
def test_a_sentence_about_the_form_of_the_answer_carries_nothing(form: str) -> None:
    plain = parsed("why do we shard the ledger")

    assert parsed(f"{form} why do we shard the ledger").terms == plain.terms
    assert stems(parsed(form)), "alone it is all there is"


@pytest.mark.parametrize("text", ["just" + "\n" * 20_000, "at " + "(" * 20_000, "you are a;" * 2_000])
def test_a_text_made_to_be_slow_is_parsed_in_a_moment(text: str) -> None:
    started = time.process_time()
    parsed(text + filler(KEPT_WHOLE + 1))

    assert time.process_time() - started < GENEROUS


@requirement("retrieval:long:log")
def test_a_pasted_log_counts_as_code_and_what_is_asked_about_it_as_prose() -> None:
    asked = "the nightly sync died, what is meant to happen to such a row"
    log = [
        "2026-03-02 04:00:11 worker started",
        "ERROR:  update on table course_options violates a constraint",
        'File "sync.py", line 12, in perform',
        "  app/services/sync_sites.rb:74:in `delete_all'",
        "java.lang.NumberFormatException: For input string",
        "panic: runtime error: index out of range",
    ]

    assert opening("\n".join([*log, asked, *log]) * 3, 200).splitlines()[0] == asked
