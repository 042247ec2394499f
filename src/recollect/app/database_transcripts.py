"""Transcripts that a harness keeps in a database: opencode, since its version 1.2."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from recollect.agents.harness import Harness, PastTranscripts
from recollect.errors import RefusedError
from recollect.importing.transcripts.discovery import TranscriptFile
from recollect.importing.transcripts.opencode_folder import moment
from recollect.importing.transcripts.rows import Rows, TranscriptRow
from recollect.storage.sqlite.opencode_sessions import parts, sessions


def database_transcripts(
    harness: Harness, home: str, env: Mapping[str, str]
) -> Iterator[TranscriptFile]:
    """A transcript for each session in a harness's databases; a file that is none of its holds none."""
    past = harness.past
    for name in past.databases(home, env) if past and past.databases else ():
        path = Path(name)
        try:
            stored = sessions(path) if path.exists() else []
        except RefusedError:
            continue
        for session in stored:
            yield TranscriptFile(harness.name, path, 0, session.updated, session.id)


def database_rows(file: TranscriptFile, past: PastTranscripts) -> Rows:
    """The rows of one session in a database. Raises RefusedError where that cannot be read."""
    facts = next((each.facts for each in sessions(file.path) if each.id == file.session), {})
    yield TranscriptRow(1, "", past.read({"session": facts}))
    for number, (message, part) in enumerate(parts(file.path, file.session), start=2):
        row = {"message": message, "part": part, "at": moment(message)}
        yield TranscriptRow(number, past.at(row), past.read(row))
