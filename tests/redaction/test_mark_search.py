"""Looking for many marks in one pass: large texts lose the same secrets as small ones."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.redaction.hard_look_alikes import HARD_LOOK_ALIKES
from tests.redaction.look_alikes import LOOK_ALIKES
from tests.redaction.sample_keys import ISSUED
from tests.redaction.secrets_in_texts import SECRETS_IN_TEXTS
from tests.requirements import requirement

from recollect.redaction.assignments import CLUES
from recollect.redaction.mark_search import LARGE, marks_in
from recollect.redaction.redact import find, issued_families
from recollect.redaction.shapes import SHAPES

FILLER = "\n\n" + "words of a line\n" * (LARGE // 16)
MARKS = tuple(dict.fromkeys(mark for family in issued_families() + SHAPES for mark in family.marks))
TEXTS = [
    *(key for keys in ISSUED.values() for key in keys),
    *(text.replace("@@", secret) for texts in SECRETS_IN_TEXTS.values() for text, secret in texts),
    *(text for texts in (*LOOK_ALIKES.values(), *HARD_LOOK_ALIKES.values()) for text in texts),
]


@pytest.mark.parametrize("marks", [MARKS, CLUES])
def test_each_mark_is_found_in_a_large_text(marks: tuple[str, ...]) -> None:
    for mark in marks:
        assert mark in marks_in(f"{FILLER}{mark}{FILLER}", marks)


@given(st.lists(st.sampled_from([*MARKS, *(mark[:-1] for mark in MARKS), " ", "a", "="]), max_size=300))
def test_one_pass_finds_the_marks_that_a_search_for_each_finds(parts: Sequence[str]) -> None:
    text = "".join(parts) + FILLER

    assert marks_in(text, MARKS) == [mark for mark in MARKS if mark in text]


def test_a_large_text_of_all_marks_is_searched_completely() -> None:
    text = "".join(MARKS[place * 7 % len(MARKS)] for place in range(LARGE))

    assert marks_in(text, MARKS) == [mark for mark in MARKS if mark in text]


@requirement("redaction:large")
@pytest.mark.parametrize("first", range(20))
def test_a_large_text_loses_the_secrets_that_a_small_one_does(first: int) -> None:
    text = "\n\n".join(TEXTS[first::20])[: LARGE // 2] + "\n\n"

    assert find(text + FILLER) == find(text)
