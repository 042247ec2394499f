"""What every engine does when a memory is forgotten for good."""

from tests.requirements import requirement

from recollect.app.stores import StateStores
from recollect.ids import UnifiedId
from recollect.working.recorder import SessionRecorder
from recollect.working.session_state import GateScoring, Impact

A, B = UnifiedId("mem:a"), UnifiedId("mem:b")


def scoring(candidate: str) -> GateScoring:
    return GateScoring("c0ffee", candidate, {}, {}, 0.7, 0.4, "accepted", 2.5)


@requirement("team:postgres:state")
def test_nothing_is_recorded_about_a_memory_any_more_and_everything_about_others(
    database: StateStores, recorder: SessionRecorder
) -> None:
    for memory in (A, B):
        recorder.begin(f"of {memory}", "codex")
        recorder.give("s1", [memory], 0.7, scoring(memory))
        recorder.show_next("s1", [memory])
        recorder.fixed_by("f1", memory)
        recorder.summarised(f"of {memory}", memory.removeprefix("mem:"))

    assert database.erase("a")

    assert database.injections.impact() == [Impact(B, 1, 0)]
    assert database.injections.waiting("s1") == [B]
    assert database.history.fixes("f1") == [B]
    assert [trace.candidate for trace in database.traces.latest(10)] == [B]
    assert database.sessions.state(f"of {A}").summary_memory == ""
    assert database.sessions.state(f"of {B}").summary_memory == "b"
