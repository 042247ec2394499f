"""A later choice decides the outcome of the newest scoring that showed it."""

from recollect.learning.open_scorings import MOST_OPEN, Attachment, OpenScorings


def test_a_choice_belongs_to_the_newest_scoring_of_its_session() -> None:
    scorings = OpenScorings()
    scorings.add("s", "first", ["a", "b"])
    scorings.add("s", "second", ["b", "c"])
    scorings.add("t", "other", ["a", "b"])

    assert scorings.choose("s", "b", "succeeded") == Attachment("second", "b", "succeeded")
    assert scorings.choose("s", "a", "failed") == Attachment("first", "a", "failed")
    assert scorings.choose("s", "d", "selected") is None
    assert scorings.choose("unknown", "a", "selected") is None


def test_only_the_last_scorings_of_a_session_stay_open() -> None:
    scorings = OpenScorings()
    for number in range(MOST_OPEN + 1):
        scorings.add("s", f"n{number}", [f"c{number}"])

    assert scorings.choose("s", "c0", "selected") is None
    assert list(scorings.end()) == [f"n{number}" for number in range(1, MOST_OPEN + 1)]
    assert list(scorings.end()) == []
    assert scorings.dropped() == ["n0"]
    assert scorings.dropped() == []
