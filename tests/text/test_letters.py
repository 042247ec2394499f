"""Which characters make a word, and which are written for each other."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.letters import legible

POINTS = [
    chr(code) for code in (*range(0x064B, 0x0653), 0x0670, 0x0640, *range(0x05B0, 0x05BD), 0x0301)
]
UNSEEN = ["\u200c", "\u200d", "\u00ad", "\u2060", "\ufe0f", "\U000e0101"]


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("مُسْتَخْدِمٌ", "مستخدم"),
        ("مســـتخدم", "مستخدم"),
        ("أحمد إعداد آلة", "احمد اعداد الة"),
        ("کتاب بازی", "كتاب بازي"),
        ("שָׁלוֹם", "שלום"),
        ("Πληρωμή ΐ ᾧ", "Πληρωμη ι ω"),
        ("за\u0301мок", "замок"),
        ("x\u030c", "x"),
        ("می\u200cخواهم", "ميخواهم"),
        ("so\u00adft", "soft"),
        ("1\u20e3", "1"),
        ("फ़ाइल", "फाइल"),
    ],
)
def test_what_is_left_out_as_one_pleases_is_not_read(written: str, plain: str) -> None:
    assert legible(written) == plain


@pytest.mark.parametrize("word", ["मुद्रा", "பயனர்கள்", "ผู้ใช้", "ব্যবহারকারী", "が", "й", "데이터", "é", "ދިވެހި"])
def test_a_mark_that_makes_another_letter_stays(word: str) -> None:
    composed = unicodedata.normalize("NFKC", word)

    assert legible(word) == legible(unicodedata.normalize("NFD", word)) == composed


def test_spaces_and_punctuation_of_any_script_are_spaces() -> None:
    assert legible("एक।दो one\u200btwo مرحبا،عالم 日本、語") == "एक दो one two مرحبا عالم 日本 語"


@given(st.lists(st.sampled_from("مستخدمשלוםзамон"), min_size=1), st.data())
def test_points_may_stand_anywhere_in_a_word(letters: list[str], data: st.DataObject) -> None:
    marks = st.lists(st.sampled_from(POINTS + UNSEEN), max_size=3).map("".join)
    pointed = "".join(letter + data.draw(marks) for letter in letters)

    assert legible(pointed) == "".join(letters)


@given(st.text(st.characters(categories=["L", "M", "N", "P", "S", "Z", "C"])))
def test_what_is_read_is_letters_digits_and_signs_of_a_word(text: str) -> None:
    for mark in legible(text):
        assert mark.isascii() or mark.isalnum() or unicodedata.category(mark) in {"Mn", "Mc"}
