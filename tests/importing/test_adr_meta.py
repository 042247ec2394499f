"""What an ADR says about itself: its status and its date."""

import pytest

from recollect.importing.adr_meta import date, status


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Accepted", "accepted"),
        ("✅ Approved on 2020-01-01", "accepted"),
        ("~~Proposed~~ Accepted", "accepted"),
        ("In review", "proposed"),
        ("Declined", "rejected"),
        ("Obsolete", "deprecated"),
        ("Accepted, supersedes ADR 3", "accepted"),
        ("Accepted\n\nSuperceded by ADR 9", "superseded"),
        ("purple", None),
    ],
)
def test_a_status_is_mapped(text: str, expected: str | None) -> None:
    assert status(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2020-01-05", "2020-01-05"),
        ("2020/1/5", "2020-01-05"),
        ("05.01.2020", "2020-01-05"),
        ("25/01/2020", "2020-01-25"),
        ("5th January 2020", "2020-01-05"),
        ("Jan 5, 2020", "2020-01-05"),
        ("03/04/2020", None),
        ("2020-02-31", None),
        ("soon", None),
    ],
)
def test_a_date_is_read_when_it_can_mean_one_day_only(text: str, expected: str | None) -> None:
    found = date(text)

    assert (found.date().isoformat() if found else None) == expected
