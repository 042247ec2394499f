"""Recordings of servers: what is written is read back, and equal calls are answered in order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import InvalidError, NotFoundError
from recollect.gateway.recording import (
    RecordedCall,
    Recording,
    Replay,
    call_line,
    head_line,
    read_recording,
)

TEXT = st.text(st.characters(codec="utf-8"))
CALLS = st.lists(
    st.builds(
        RecordedCall,
        TEXT,
        st.dictionaries(TEXT, TEXT | st.integers()),
        st.fixed_dictionaries({"content": st.lists(TEXT)}),
    ),
    max_size=5,
)


def written(recording: Recording) -> list[str]:
    return [head_line(recording.server, recording.tools), *map(call_line, recording.calls)]


@given(TEXT, CALLS)
def test_what_is_written_is_read_back(server: str, calls: list[RecordedCall]) -> None:
    recording = Recording(server, ({"name": "a"},), tuple(calls))

    assert read_recording(written(recording)) == recording


def test_a_line_that_was_not_finished_is_left_out_and_a_wrong_one_is_named() -> None:
    lines = written(Recording("s", (), (RecordedCall("a", {}, {}), RecordedCall("b", {}, {}))))

    assert [call.tool for call in read_recording([*lines[:2], lines[2][:-5]]).calls] == ["a"]
    with pytest.raises(InvalidError, match="line 2 of the recording"):
        read_recording([lines[0], "[]\n", lines[2]])
    with pytest.raises(InvalidError, match="line 1 of the recording"):
        read_recording([])


def test_equal_calls_are_answered_in_order_and_then_as_the_last_time() -> None:
    results = [{"n": 1}, {"n": 2}]
    calls = tuple(RecordedCall("a", {"x": 1, "y": 2}, result) for result in results)  # type: ignore[arg-type]
    replay = Replay(Recording("s", (), calls))

    assert [replay.answer("a", {"y": 2, "x": 1}) for _ in range(3)] == [*results, results[1]]
    with pytest.raises(
        NotFoundError, match=r"not recorded: the recording has no call of 'a' .* has 2 of this tool"
    ):
        replay.answer("a", {"x": 1})
