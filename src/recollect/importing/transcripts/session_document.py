"""Rows of a session that is one JSON document, as older versions of Gemini CLI wrote it."""

from pathlib import Path
from typing import Any

from recollect.agents.harness import PastTranscripts
from recollect.importing.transcripts.line_rows import opened, parsed
from recollect.importing.transcripts.rows import Rows, TranscriptRow, UnreadableRow

MAX_DOCUMENT = 8 * 1024 * 1024  # bytes: parsed, it takes ten times as much memory


def document_rows(path: Path, past: PastTranscripts) -> Rows:
    """The document without its messages, and then each message. The first message is row 2."""
    with opened(path) as file:
        data = file.read(MAX_DOCUMENT + 1)
    if len(data) > MAX_DOCUMENT:
        yield UnreadableRow(1, f"longer than {MAX_DOCUMENT:,} bytes")
        return
    document = parsed(data)
    messages = document.pop("messages", None) if document else None
    if document is None or not isinstance(messages, list):
        yield UnreadableRow(1, "not a session")
        return
    yield _row(1, document, past)
    for number, message in enumerate(messages, start=2):
        if isinstance(message, dict):
            yield _row(number, message, past)
        else:
            yield UnreadableRow(number, "not a JSON object")


def _row(number: int, row: dict[str, Any], past: PastTranscripts) -> TranscriptRow:
    return TranscriptRow(number, past.at(row), past.read(row))
