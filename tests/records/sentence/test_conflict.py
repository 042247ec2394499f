"""Statements that may say the opposite of each other."""

import pytest
from tests.requirements import requirement

from recollect.records.sentence.conflict import contradiction


@requirement("records:sentence:contradiction")
@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Indent with tabs", "Indent with spaces"),
        ("Use npm for packages", "Use pnpm for packages"),
        ("We deploy on Tuesdays only", "We deploy on Thursdays only"),
        ("Mock the database in integration tests", "Never mock the database in integration tests"),
        ("Use default exports", "Avoid default exports"),
        (
            "The API is limited to 100 requests per minute",
            "The API is limited to 50 requests per minute",
        ),
    ],
)
def test_the_same_thing_with_another_value_or_denied_may_be_a_contradiction(new: str, old: str) -> None:
    assert contradiction([new], [old])
    assert contradiction([old], [new])


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Orders may be cancelled", "Invoices may be cancelled"),
        ("Never commit directly to main", "Never force-push to main"),
        ("Use pnpm for packages", "Use black for formatting"),
        ("Sign a JWT at login", "Write the failing test first"),
        ("Indent with tabs", "Indent with tabs"),
        ("", "Indent with tabs"),
    ],
)
def test_two_subjects_are_no_contradiction(new: str, old: str) -> None:
    assert contradiction([new], [old]) == ""


def test_it_says_which_words_differ() -> None:
    assert contradiction(["Indent with tabs"], ["Indent with spaces"]) == "'tabs' instead of 'spaces'"
