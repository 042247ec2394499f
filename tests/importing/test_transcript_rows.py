"""Rows of transcripts: whatever a harness or an attacker wrote, a row says something or nothing."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.requirements import requirement
from tests.soak import times

from recollect.agents.harness import PastTranscripts
from recollect.agents.harnesses import all_harnesses
from recollect.importing.transcripts import line_rows
from recollect.importing.transcripts.line_rows import json_rows, lines
from recollect.importing.transcripts.markdown_rows import markdown_rows
from recollect.importing.transcripts.past_session import moment
from recollect.importing.transcripts.rows import TranscriptRow, UnreadableRow
from recollect.importing.transcripts.session_document import document_rows
from recollect.importing.transcripts.spoken import spoken

PASTS: dict[str, PastTranscripts] = {
    harness.name: harness.past for harness in all_harnesses() if harness.past
}
KEYS = """type message content payload item toolCalls result id sessionId text part session state input output
    changes arguments call_id status role tool_use_id is_error directories projectHash timestamp metadata
    parsed_cmd""".split()  # noqa: SIM905
WORDS = st.sampled_from(
    """user assistant tool_use tool_result session_meta event_msg item_completed response_item function_call
    function_call_output user_message gemini text tool CommandExecution FileChange completed error
    success""".split()  # noqa: SIM905
)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12) | WORDS
ROWS = st.dictionaries(
    st.sampled_from(KEYS),
    st.recursive(
        LEAVES,
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5)
        ),
        max_leaves=14,
    ),
    max_size=6,
)


@pytest.mark.parametrize("harness", PASTS)
@requirement("importing:parsers:total")
@settings(max_examples=times(150))
@given(row=ROWS)
def test_no_row_makes_a_harness_raise(harness: str, row: dict[str, Any]) -> None:
    past = PASTS[harness]

    assert all(
        type(event).__name__ in "Said Answered Called Returned Context" for event in past.read(row)
    )
    moment(past.at(row))


@requirement("importing:parsers:total")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=times(60))
@given(
    data=st.binary(max_size=200)
    | st.text(max_size=300).map(lambda text: text.encode("utf-8", "replace"))
)
def test_any_bytes_are_read_as_any_kind_of_transcript(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "t"
    path.write_bytes(data)

    for row in (
        *json_rows(path, PASTS["codex"]),
        *document_rows(path, PASTS["gemini"]),
        *markdown_rows(path),
    ):
        assert row.line >= 1
    spoken(data.decode("utf-8", "replace"))
    moment(data.decode("utf-8", "replace"))


@requirement("importing:transcripts:hostile")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=times(60))
@given(st.lists(st.integers(0, 40), max_size=12), st.booleans())
def test_lines_are_those_of_the_file_and_a_long_one_is_passed_over(
    tmp_path: Path, lengths: list[int], ends: bool
) -> None:
    """The limits are small here, so that pieces and lines cut each other in every way."""
    path = tmp_path / "t"
    texts = [b"x" * length for length in lengths]
    path.write_bytes(b"\n".join(texts) + (b"\n" if ends else b""))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_rows, "MAX_LINE", 24)
        patch.setattr(line_rows, "_PIECE", 7)

        numbered = list(lines(path))

    expected = path.read_bytes().split(b"\n")
    expected = expected[:-1] if not expected[-1] else expected
    assert numbered == [
        (number, text if len(text) <= 24 else None) for number, text in enumerate(expected, start=1)
    ]


def test_a_document_says_what_its_messages_say_with_their_places(tmp_path: Path) -> None:
    path = tmp_path / "session.json"
    message = {"id": "1", "type": "user", "content": "Rename it."}
    path.write_text(json.dumps({"sessionId": "s", "projectHash": "h", "messages": [message, 7]}))

    head, said, odd = document_rows(path, PASTS["gemini"])

    assert isinstance(head, TranscriptRow)
    assert isinstance(said, TranscriptRow)
    assert (head.line, said.line, odd) == (1, 2, UnreadableRow(3, "not a JSON object"))
    path.write_text("[]")
    assert list(document_rows(path, PASTS["gemini"])) == [UnreadableRow(1, "not a session")]


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("<a>b</a> typed", "typed"),
        ("<a>b</a>\n<c d='e'>f</c>\ntyped <b>too</b>", "typed <b>too</b>"),
        ("<unclosed> typed", ""),
        ("typed <system-reminder>not</system-reminder> here", "typed  here"),
        ("typed <system-reminder>cut off", "typed"),
        ("<memory-context>ours</memory-context>\ntyped", "typed"),
    ],
)
def test_only_what_a_person_typed_is_spoken(prompt: str, words: str) -> None:
    assert spoken(prompt) == words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-03-01T10:00:00.123Z", "2026-03-01T10:00:00Z"),
        ("2026-03-01 10:00:00Z", "2026-03-01T10:00:00Z"),
        ("1772600000000", "2026-03-04T04:53:20Z"),
        ("yesterday", ""),
        ("", ""),
        ("999999999999999", ""),
    ],
)
def test_moments_of_all_harnesses_have_one_form(text: str, expected: str) -> None:
    assert moment(text) == expected or (text.startswith("9") and moment(text)[:1] in ("", "3"))
