"""Prompts that may state something, noted until their session pauses, when nobody waits for an answer.

A note has no word of its prompt: the transcript has the words, and a digest tells which turn they are. Notes
are in the user's data folder and not in the project's, because a repository could bring its own.
"""

from __future__ import annotations

import json
import os
import time

from recollect.hook.transcript import rows_of, storable
from recollect.paths import read_plain
from recollect.storage.sqlite.state import now
from recollect.values import Frozen
from recollect.working.session_state import prompt_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from recollect.agents.event import Event
    from recollect.hook.project_paths import ProjectPaths

_MOST_TAKEN = 50  # by one hook
_MOST_BYTES = 16 * 1024  # of one note
_LEFT_OVER = 3600 * 10**9  # nanoseconds after which a session is not expected to pause any more
_OUTDATED = 30 * 24 * _LEFT_OVER  # nanoseconds after which a note of any project is deleted


class NotedPrompt(Frozen):
    """A prompt to look at: its turn in a transcript, by digest, and the file of the note."""

    session: str
    harness: str
    transcript: str
    digest: str
    at: str
    path: str


def can_note(event: Event) -> bool:
    """Whether a later hook can read a prompt: its transcript exists, and we know how to read it."""
    return os.path.isfile(event.transcript) and rows_of(event.harness) is not None


def note_prompt(event: Event, place: ProjectPaths) -> None:
    """Note a prompt for the next pause of its session."""
    digest = prompt_digest(storable(event.prompt.strip()))
    note = [place.state, event.session, event.harness, event.transcript, digest, now()]
    name = f"{_key(event.session, place)}-{time.time_ns():020d}-{os.getpid()}.json"
    try:
        handle = _create(place.noted_prompts, name)
    except FileNotFoundError:
        from recollect.storage.private import make_folder

        make_folder(place.noted_prompts)
        handle = _create(place.noted_prompts, name)
    try:
        os.write(handle, json.dumps(note).encode())
    finally:
        os.close(handle)


def noted_prompts(session: str, place: ProjectPaths) -> list[NotedPrompt]:
    """The prompts of a session that were noted and not looked at so far, in their order."""
    key = _key(session, place)
    return list(_notes([name for name in _names(place) if name.startswith(f"{key}-")], place))


def left_over_prompts(place: ProjectPaths) -> list[NotedPrompt]:
    """The prompts of the project whose session did not pause for an hour. Deletes notes of a month ago."""
    ages = {name: time.time_ns() - _noted_at(name) for name in _names(place)}
    notes = list(_notes([name for name in ages if ages[name] > _LEFT_OVER], place))
    _delete([_path(name, place) for name in ages if ages[name] > _OUTDATED])
    return notes


def forget_noted(notes: Iterable[NotedPrompt]) -> None:
    """Delete notes that were looked at."""
    _delete([note.path for note in notes])


def _delete(paths: Iterable[str]) -> None:
    for path in paths:
        try:
            os.unlink(path)
        except FileNotFoundError:
            continue  # another hook was faster


def _create(folder: str, name: str) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    return os.open(os.path.join(folder, name), flags, 0o600)


def _names(place: ProjectPaths) -> list[str]:
    try:
        return sorted(os.listdir(place.noted_prompts))
    except FileNotFoundError:
        return []


def _path(name: str, place: ProjectPaths) -> str:
    return os.path.join(place.noted_prompts, name)


def _notes(names: Iterable[str], place: ProjectPaths) -> Iterator[NotedPrompt]:
    """The notes of this project in these files; those that cannot be read are left out."""
    for name in list(names)[:_MOST_TAKEN]:
        path = _path(name, place)
        try:
            state, *fields = json.loads(read_plain(path, _MOST_BYTES))
            if state == place.state:
                session, harness, transcript, digest, at = map(str, fields)
                yield NotedPrompt(session, harness, transcript, digest, at, path)
        except (OSError, ValueError, TypeError):
            continue  # cut off, or not written by this version


def _noted_at(name: str) -> int:
    moment = name.partition("-")[2].partition("-")[0]
    return int(moment) if moment.isdigit() else 0


def _key(session: str, place: ProjectPaths) -> str:
    return prompt_digest(f"{place.state}\n{session}")
