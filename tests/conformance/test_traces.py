"""What every store of traces does."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.conformance.engines import OpenState
from tests.requirements import requirement

from recollect.ids import UnifiedId
from recollect.learning import retention
from recollect.learning.open_scorings import Attachment
from recollect.learning.ports import TraceStore
from recollect.learning.trace import Kind, ScoredCandidate, Scoring
from recollect.working.recorder import SessionRecorder
from recollect.working.session_state import GateScoring

MakeTraces = Callable[[Path], TraceStore]
AT, LATER, MUCH_LATER = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "2026-03-01T00:00:00Z"
FIRST = ScoredCandidate("mem:first", {"lexical": 0.1 + 0.2, "vector": None}, 0.7)
SECOND = ScoredCandidate("mem:second", {"lexical": 1 / 3}, 0.2, "below_threshold")


@pytest.fixture
def make(open_state: OpenState) -> MakeTraces:
    return lambda folder: open_state(folder).traces


def scoring(id: str, at: str = AT, kind: Kind = "retrieval") -> Scoring:
    return Scoring(id, at, kind, "c0ffee", {"weight.lexical": 0.65}, (FIRST, SECOND), 0.5, 1.25, "s1")


def outcomes(store: TraceStore, id: str) -> list[str | None]:
    return [trace.outcome for trace in store.of_scoring(id)]


@requirement("learning:traces:recorded")
def test_a_trace_is_read_back_as_it_was_written(make: MakeTraces, tmp_path: Path) -> None:
    make(tmp_path).add([scoring("a1")], AT)

    [first, second] = make(tmp_path).of_scoring("a1")

    assert (first.candidate, first.score, first.decision) == ("mem:first", 0.7, "accepted")
    assert (second.signals, second.decision) == ({"lexical": 1 / 3}, "below_threshold")
    assert first.signals == FIRST.signals
    assert first.params == {"weight.lexical": 0.65}
    assert (first.at, first.kind, first.context, first.session) == (AT, "retrieval", "c0ffee", "s1")
    assert (first.threshold, first.milliseconds, first.outcome) == (0.5, 1.25, None)


def test_the_newest_scoring_is_first_and_its_candidates_are_in_order(
    make: MakeTraces, tmp_path: Path
) -> None:
    store = make(tmp_path)
    store.add([scoring("a1"), scoring("b1", kind="discovery")], AT)

    newest = [(trace.scoring, trace.candidate) for trace in store.latest(3)]
    assert newest == [("b1", "mem:first"), ("b1", "mem:second"), ("a1", "mem:second")]
    assert {trace.scoring for trace in store.latest(10, "discovery")} == {"b1"}
    assert store.counts() == {"discovery": 2, "retrieval": 2}


def test_a_scoring_is_named_by_a_beginning_that_no_other_has(make: MakeTraces, tmp_path: Path) -> None:
    store = make(tmp_path)
    store.add([scoring("abc1"), scoring("abd2")], AT)

    assert {trace.scoring for trace in store.of_scoring("abc")} == {"abc1"}
    assert store.of_scoring("ab") == store.of_scoring("x") == []


@requirement("learning:traces:outcomes")
def test_a_choice_makes_the_others_ignored_until_they_are_chosen_too(
    make: MakeTraces, tmp_path: Path
) -> None:
    store = make(tmp_path)
    store.add([scoring("a1"), scoring("b1"), scoring("c1")], AT)

    store.attach([Attachment("a1", "mem:second", "selected"), Attachment("none", "x", "failed")])
    assert outcomes(store, "a1") == ["ignored", "selected"]
    store.attach([Attachment("a1", "mem:first", "failed"), Attachment("a1", "mem:second", "failed")])
    store.ignore(["b1"])

    assert outcomes(store, "a1") == ["failed", "selected"]
    assert outcomes(store, "b1") == ["ignored", "ignored"]
    assert outcomes(store, "c1") == [None, None]
    assert {trace.scoring for trace in store.latest(10, with_outcome=True)} == {"a1", "b1"}


@requirement("learning:traces:bounded")
def test_traces_are_bounded_by_age_and_number(
    make: MakeTraces, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make(tmp_path)
    store.add([scoring("old")], AT)
    store.add([scoring("new", MUCH_LATER)], MUCH_LATER)
    assert {trace.scoring for trace in store.latest(10)} == {"new"}

    monkeypatch.setattr(retention, "MAX_TRACES", 4)
    store.add([scoring(f"n{number}", MUCH_LATER) for number in range(5)], MUCH_LATER)

    assert [trace.scoring for trace in store.latest(10)] == ["n4", "n4", "n3", "n3"]


GATE = GateScoring("c0ffee", "mem:a", {"lexical": 0.5}, {"threshold": 0.4}, 0.7, 0.4, "accepted", 2.5)


@requirement("learning:traces:recorded")
def test_how_the_gate_judged_a_prompt_is_a_trace_of_its_session(
    open_state: OpenState, tmp_path: Path
) -> None:
    state = open_state(tmp_path)
    recorder = SessionRecorder(state, lambda: "2026-01-01T00:00:00.123456Z")
    recorder.give("s1", [UnifiedId("mem:a")], 0.7, GATE)

    [trace] = state.traces.latest(10)

    assert (trace.kind, trace.session, trace.candidate, trace.at) == ("gate", "s1", "mem:a", AT)
    assert (trace.signals, trace.params) == ({"lexical": 0.5}, {"threshold": 0.4})
    assert (trace.score, trace.threshold, trace.decision) == (0.7, 0.4, "accepted")
    assert trace.outcome is None
    assert trace.scoring


@requirement("learning:traces:outcomes")
def test_an_injection_succeeded_when_it_is_used_and_is_ignored_after_some_events(
    open_state: OpenState, tmp_path: Path
) -> None:
    state = open_state(tmp_path)
    recorder = SessionRecorder(state, lambda: AT)
    for session in ("used", "unused", "new"):
        recorder.give(session, [UnifiedId("mem:a")], 0.7, GATE)
    recorder.use("used", ["mem:a"], "read")
    for _ in range(retention.SETTLED_AFTER):
        recorder.count_event("unused")

    state.traces.settle(AT)
    assert outcomes_of_sessions(state.traces) == {"used": "succeeded", "unused": "ignored", "new": None}
    recorder.use("unused", ["mem:a"], "read")
    state.traces.settle(MUCH_LATER)

    assert outcomes_of_sessions(state.traces) == {
        "used": "succeeded",
        "unused": "succeeded",
        "new": "ignored",
    }


def outcomes_of_sessions(store: TraceStore) -> dict[str, str | None]:
    return {trace.session: trace.outcome for trace in store.latest(10)}


def test_no_trace_of_several_processes_is_lost(open_state: OpenState, tmp_path: Path) -> None:
    open_state(tmp_path)

    def work(number: int) -> None:
        store = open_state(tmp_path).traces
        for step in range(5):
            store.add([scoring(f"w{number}{step}")], AT)
            store.attach([Attachment(f"w{number}{step}", "mem:first", "selected")])

    with ThreadPoolExecutor(4) as workers:
        list(workers.map(work, range(4)))

    traces = open_state(tmp_path).traces.latest(100)
    assert len(traces) == 40
    assert sum(trace.outcome == "selected" for trace in traces) == 20
