"""What an ADR says about itself: its status and its date."""

import pytest
from tests.requirements import requirement

from recollect.importing.adr_meta import date, status, superseded_on


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
        ("Superseded: 2019-12-19 by [ADR 14]", "superseded"),
        ("Superseded (19 December 2019) by ADR 14", "superseded"),
        ("Partly superseded", "accepted"),
        ("Partially superseded by ADR 9", "accepted"),
        ("Accepted, superseded in part by ADR 9", "accepted"),
        ("Withdrawn", "rejected"),
        ("Draft", "proposed"),
        ("| Approved | yes |\n| Adopted | no [Abandoned](x) |", "rejected"),
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


@requirement("importing:plan:in-force")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Superseded: 2019-12-19 by [ADR 14]", "2019-12-19"),
        ("Superseded by [ADR 14](0014.md) on 19 December 2019", "2019-12-19"),
        ("Accepted 2018-01-01\nSuperseded by ADR 14 (2019-12-19)", "2019-12-19"),
        ("Superseded by [x](2019-12-19-x.md)", None),
        ("Partly superseded on 2019-12-19", None),
        ("Accepted 2018-01-01", None),
    ],
)
def test_the_day_of_a_supersession_is_read_from_the_status(text: str, expected: str | None) -> None:
    day = superseded_on(text)

    assert (day.date().isoformat() if day else None) == expected
