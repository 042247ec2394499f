"""What a prompt speaks of."""

import pytest
from tests.working.items import item

from recollect.working.mentions import mentioned

EDIT = item("edited the parser", paths=("src/shop/parser.py",))
TEST = item("2 failed: tests/test_login.py::test_expired_session, tests/test_login.py::test_rename")
NOTE = item("The migration renames every column of the billing schema")
ALL = [EDIT, TEST, NOTE]


@pytest.mark.parametrize(
    ("prompt", "spoken"),
    [
        ("why is parser.py so slow?", [EDIT]),
        ("look at src/shop/parser.py:42 again", [EDIT]),
        ("Look at `parser.py`, then stop.", [EDIT]),
        ("make test_expired_session pass", [TEST]),
        ("run tests/test_login.py::test_rename", [TEST]),
        ("does the billing migration lock the table?", [NOTE]),
        ("parser.py breaks test_rename", [EDIT, TEST]),
    ],
)
def test_a_file_an_identifier_or_two_telling_words_name_an_item(
    prompt: str, spoken: list[object]
) -> None:
    assert mentioned(ALL, prompt) == [found.content for found in ALL if found in spoken]


@pytest.mark.parametrize(
    "prompt",
    ["", "please go on", "the tests failed again", "is the schema documented?", "2 failed", "a.b.c"],
)
def test_what_says_nothing_about_an_item_is_no_mention(prompt: str) -> None:
    assert mentioned(ALL, prompt) == []
