"""What every `TurnStore` does."""

from recollect.working.ports import SessionDatabase
from recollect.working.redacted import RedactedText


def test_the_last_prompts_of_a_session_come_oldest_first(database: SessionDatabase) -> None:
    for number in range(5):
        database.turns.add("s1", RedactedText(f"prompt {number}"), most=3)
    database.turns.add("s2\ud83d", RedactedText("another session's"), most=3)

    assert database.turns.turns("s1") == ["prompt 2", "prompt 3", "prompt 4"]
    assert database.turns.turns("s2\ud83d") == ["another session's"]
    assert database.turns.turns("s3") == []


def test_the_prompts_of_other_sessions_are_deleted(database: SessionDatabase) -> None:
    for session in ("s1", "s2"):
        database.turns.add(session, RedactedText("rename the column"), most=3)

    database.turns.keep_only(["s2"])

    assert database.turns.turns("s1") == []
    assert database.turns.turns("s2") == ["rename the column"]
