"""What every `InjectionStore` does."""

from recollect.ids import UnifiedId
from recollect.values import replaced
from recollect.working.ports import SessionDatabase
from recollect.working.session_state import Impact, Injection

A, B = UnifiedId("mem:a"), UnifiedId("mem:b")
FIRST = Injection("s1", A, "2026-11-15T10:00:00Z", 0.75, None, 1, 3)


def test_saved_injections_are_loaded_as_they_were_for_their_session_only(
    database: SessionDatabase,
) -> None:
    again = replaced(FIRST, compaction=2, used="read")
    database.injections.save([again, FIRST, replaced(FIRST, session="s2")])

    assert database.injections.of_session("s1") == [FIRST, again]
    assert database.injections.of_session("s3") == []


def test_saving_an_injection_again_replaces_it(database: SessionDatabase) -> None:
    database.injections.save([FIRST])

    database.injections.save([replaced(FIRST, used="cited")])

    assert database.injections.of_session("s1") == [replaced(FIRST, used="cited")]


def test_the_latest_injections_come_first(database: SessionDatabase) -> None:
    later = replaced(FIRST, memory=B, at="2026-11-15T10:00:01Z")
    database.injections.save([FIRST, later])

    assert database.injections.latest(10) == [later, FIRST]
    assert database.injections.latest(1) == [later]


def test_impact_counts_injections_and_those_of_them_that_were_used(database: SessionDatabase) -> None:
    database.injections.save(
        [FIRST, replaced(FIRST, session="s2", used="read"), replaced(FIRST, memory=B)]
    )

    assert database.injections.impact() == [Impact(A, 2, 1), Impact(B, 1, 0)]
