import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.records.documents import TEXTS
from tests.requirements import requirement

from recollect.records.display import label, one_line, quoted, safe_text, safe_values

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
    "line separator": "\u2028",
    "paragraph separator": "\u2029",
    "vertical tab": "\v",
    "form feed": "\f",
    "unit separator": "\x1f",
    "selector after a letter": "\ufe0e",
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


def test_a_selector_that_an_emoji_or_a_keycap_needs_is_kept() -> None:
    assert safe_text("☎\ufe0e ❤\ufe0f 1\ufe0f\u20e3") == "☎\ufe0e ❤\ufe0f 1\ufe0f\u20e3"


@given(st.text() | TEXTS)
def test_each_line_of_a_quoted_text_is_marked(text: str) -> None:
    lines = quoted(text, "  ").splitlines()

    assert lines
    assert all(line.startswith("  |") for line in lines)


@pytest.mark.parametrize(
    "text",
    [
        "X (id: evil)",
        "X ( ID : evil)",
        "X\n(id:\u200bevil)",
        "X (i\u200bd: evil)",
        "X (done, id: evil)",
    ],
)
def test_a_label_can_not_name_an_id_of_its_own(text: str) -> None:
    assert "id:" not in label(text).lower().replace(" ", "")
    assert "evil" in label(text)


def test_the_texts_of_a_json_value_are_made_safe_and_its_shape_stays() -> None:
    value = {"a\u202e": ["x\u200by", {"n": 1, "t": "1\n2\u2028", "none": None}], "flag": True}

    assert safe_values(value) == {"a": ["xy", {"n": 1, "t": "1\n2 ", "none": None}], "flag": True}
