"""When a memory holds, and what people are told about that."""

from datetime import UTC, datetime

import pytest
from tests.requirements import requirement
from tests.samples import document

from recollect.records.record import Memory
from recollect.records.validity import Validity, ValidityState

MARCH, APRIL, MAY = (datetime(2026, month, 1, tzinfo=UTC) for month in (3, 4, 5))
IN_MARCH, IN_APRIL, IN_MAY = (f"2026-0{month}-01T00:00:00Z" for month in (3, 4, 5))


def validity(written: str = IN_MARCH, start: str | None = None, end: str | None = None) -> Validity:
    made = document(created_at=written, updated_at=written, valid_from=start, valid_to=end)
    return Memory.parse(made).validity


@requirement("records:validity:moment")
@pytest.mark.parametrize(
    ("start", "end", "in_march", "in_april", "in_may"),
    [
        (None, None, ValidityState.VALID, ValidityState.VALID, ValidityState.VALID),
        (None, IN_APRIL, ValidityState.VALID, ValidityState.ENDED, ValidityState.ENDED),
        (None, IN_MAY, ValidityState.VALID, ValidityState.VALID, ValidityState.ENDED),
        (IN_APRIL, None, ValidityState.FUTURE, ValidityState.VALID, ValidityState.VALID),
        (IN_APRIL, IN_MAY, ValidityState.FUTURE, ValidityState.VALID, ValidityState.ENDED),
        (IN_MAY, IN_APRIL, ValidityState.ENDED, ValidityState.ENDED, ValidityState.ENDED),
        (IN_MAY, IN_MAY, ValidityState.ENDED, ValidityState.ENDED, ValidityState.ENDED),
    ],
)
def test_a_memory_holds_from_its_beginning_until_its_end_and_not_before_or_after(
    start: str | None,
    end: str | None,
    in_march: ValidityState,
    in_april: ValidityState,
    in_may: ValidityState,
) -> None:
    one = validity(start=start, end=end)

    assert [one.state(now) for now in (MARCH, APRIL, MAY)] == [in_march, in_april, in_may]
    assert [one.is_valid(now) for now in (MARCH, APRIL, MAY)] == [
        standing is ValidityState.VALID for standing in (in_march, in_april, in_may)
    ]


def test_a_memory_whose_writer_s_clock_was_ahead_of_ours_holds_as_soon_as_it_is_there() -> None:
    assert validity(written=IN_MAY).is_valid(MARCH)
    assert validity(written=IN_APRIL, start=IN_MAY).state(MARCH) is ValidityState.FUTURE
    assert validity(written=IN_MAY, end=IN_MAY).has_ended(MARCH), "superseded as soon as it was written"


@pytest.mark.parametrize(
    ("start", "end", "limit"),
    [
        (None, None, ""),
        (None, IN_APRIL, "no longer valid since 2026-04-01"),
        (None, IN_MAY, "valid until 2026-05-01"),
        (IN_MAY, None, "not valid before 2026-05-01"),
        (IN_MAY, IN_MAY, "no longer valid"),
    ],
)
def test_what_limits_a_validity_is_said_for_the_moment(
    start: str | None, end: str | None, limit: str
) -> None:
    assert validity(start=start, end=end).limit(APRIL) == limit
