"""Which transcripts are on this machine? Files that harnesses and SpecStory left, the newest first."""

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from recollect.agents.harness import Harness
from recollect.importing.transcripts import markdown_rows
from recollect.importing.transcripts.line_rows import json_rows
from recollect.importing.transcripts.opencode_folder import folder_rows, messages, session_files
from recollect.importing.transcripts.rows import Rows
from recollect.importing.transcripts.session_document import document_rows


@dataclass(frozen=True, slots=True)
class TranscriptFile:
    """A transcript: its harness (or `specstory`), its file, and a version that changes when the file does.

    `session` is its name inside a database, '' for a file of its own.
    """

    harness: str
    path: Path
    size: int
    modified: float
    session: str = ""

    @property
    def name(self) -> str:
        return f"{self.path}#{self.session}" if self.session else str(self.path)

    @property
    def version(self) -> str:
        return f"{self.size} {self.modified:.6f}"


def transcript_files(
    harnesses: Iterable[Harness], home: str, env: Mapping[str, str]
) -> list[TranscriptFile]:
    """The transcripts of these harnesses for any project. Links, pipes and folders are left out."""
    return newest_first(file for harness in harnesses for file in _of_harness(harness, home, env))


def project_files(folders: Iterable[Path]) -> list[TranscriptFile]:
    """The sessions that SpecStory wrote into a project's checkouts."""
    named = (
        (markdown_rows.HARNESS, path)
        for folder in folders
        for path in _glob(folder, markdown_rows.PATTERN)
    )
    return newest_first(file for harness, path in named for file in _plain(harness, path))


def _of_harness(harness: Harness, home: str, env: Mapping[str, str]) -> Iterator[TranscriptFile]:
    past = harness.past
    if past is None:
        return
    for pattern in past.files(home, env) if past.files else ():
        top, _, below = pattern.partition("/*")
        top, folder = os.path.split(top) if below else (top, "")
        for path in _glob(Path(top), f"{folder}/*{below}" if folder else f"*{below}"):
            yield from _plain(harness.name, path)
    for storage in past.folders(home, env) if past.folders else ():
        for path in session_files(Path(storage)):
            yield from _session_folder(harness.name, path)


def _glob(top: Path, pattern: str) -> list[Path]:
    """The files of a pattern below a folder; none where it cannot be read. Enters no links."""
    try:
        return sorted(top.glob(pattern))
    except (OSError, ValueError, RecursionError):
        return []


def _plain(harness: str, path: Path) -> Iterator[TranscriptFile]:
    try:
        status = path.lstat()
    except OSError:
        return
    if stat.S_ISREG(status.st_mode):
        yield TranscriptFile(harness, path, status.st_size, status.st_mtime)


def _session_folder(harness: str, path: Path) -> Iterator[TranscriptFile]:
    """A session in many files: it changed when its own file or the last message did."""
    for file in _plain(harness, path):
        last = [each for message in list(messages(path))[-1:] for each in _plain(harness, message)]
        count = sum(1 for _ in messages(path))
        newest = max([file.modified, *(each.modified for each in last)])
        yield TranscriptFile(harness, path, file.size + count, newest)


def newest_first(files: Iterable[TranscriptFile]) -> list[TranscriptFile]:
    """These files, the one that changed last first."""
    return sorted(files, key=lambda file: (-file.modified, str(file.path)))


def rows_of(file: TranscriptFile, harness: Harness | None) -> Rows:
    """The rows of a transcript. Raises OSError for a file that cannot be read."""
    past = harness.past if harness else None
    if past is None:
        return markdown_rows.markdown_rows(file.path)
    if past.folders:
        return folder_rows(file.path, past)
    if file.path.suffix == ".json":
        return document_rows(file.path, past)
    return json_rows(file.path, past)
