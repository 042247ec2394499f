import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.records.documents import TEXTS
from tests.requirements import requirement

from recollect.records.display import one_line, safe_text

HIDING = {
    "terminal escape": "\x1b[31m",
    "carriage return": "\r",
    "bell": "\x07",
    "next line": "\x85",
    "zero-width space": "\u200b",
    "word joiner": "\u2060",
    "byte-order mark": "\ufeff",
    "right-to-left override": "\u202e",
    "isolate": "\u2066",
    "tag letter": "\U000e0041",
    "variation selector": "\U000e0101",
    "hangul filler": "\u3164",
    "lone surrogate": "\ud800",
}


@requirement("records:display:nothing-hidden")
@pytest.mark.parametrize("name", HIDING)
def test_a_character_that_hides_or_moves_text_is_not_shown(name: str) -> None:
    hidden = HIDING[name]

    assert safe_text(f"pass{hidden}word").replace("[31m", "") in ("password", "pass word")


@given(TEXTS)
def test_what_is_shown_holds_no_control_and_no_format_character_but_joiners(text: str) -> None:
    assert all(
        character in "\n\u200c\u200d" or unicodedata.category(character)[0] != "C"
        for character in safe_text(text)
    )


@given(TEXTS)
def test_showing_safely_twice_changes_nothing_more(text: str) -> None:
    assert safe_text(safe_text(text)) == safe_text(text)
    assert one_line(one_line(text)) == one_line(text)


@given(st.text())
def test_one_line_is_one_line(text: str) -> None:
    shown = one_line(text)

    assert len(shown.splitlines()) <= 1
    assert "  " not in shown
    assert shown == shown.strip()


def test_lines_are_kept_and_tabs_become_spaces() -> None:
    assert safe_text("a\n\tb") == "a\n    b"


@pytest.mark.parametrize("text", ["👩\u200d💻", "❤\ufe0f\u200d🔥", "क\u094d\u200dष", "می\u200cخواهم"])
def test_joiners_that_a_script_or_an_emoji_needs_are_kept(text: str) -> None:
    assert safe_text(text) == text


def test_joiners_in_a_plain_word_or_in_a_row_are_not_kept() -> None:
    assert safe_text("pass\u200dword") == "password"
    assert safe_text("क\u200d\u200d\u200dष") == "क\u200dष"
    assert safe_text("\u200cx\u200d") == "x"
