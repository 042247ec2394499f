"""Text as it reads."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.markdown.plain import cut, plain, sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**a** _b_ *c* ~~d~~ `e_f_g`", "a b c d e_f_g"),
        ("[a](b) ![c](d) [e][f]", "a c e"),
        ("snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"),
        ("a\\_b &amp; <br/> c", "a_b & c"),
        ("`__init__` and `` `x` ``", "__init__ and `x`"),
    ],
)
def test_plain_text_reads_as_it_is_shown(text: str, expected: str) -> None:
    assert plain(text) == expected


@given(st.text(), st.integers(min_value=10, max_value=200))
def test_a_cut_text_is_never_longer_than_asked(text: str, limit: int) -> None:
    assert len(cut(text, limit)) <= limit


def test_sentences_end_at_full_stops_but_not_at_abbreviations() -> None:
    assert sentences("Use one, e.g. Black. Never two! 好的。不行。") == [
        "Use one, e.g. Black.",
        "Never two!",
        "好的。",
        "不行。",
    ]
