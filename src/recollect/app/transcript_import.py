"""Importing past transcripts: sessions to search, and drafts that wait for a person.

Each transcript is done in three steps: read it, write its drafts, save its session together with the note
that it is imported. After a kill at any point the next import does the unfinished transcript again; drafts
have names of their own, and saving replaces, so nothing is doubled.
"""

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from recollect.agents.harnesses import all_harnesses, all_tools, find_harness
from recollect.app.database_transcripts import database_rows, database_transcripts
from recollect.app.own_checkouts import OwnCheckouts
from recollect.app.past_statements import (
    CollectedDrafts,
    TurnsWithStatements,
    memory_holds,
    statement_drafts,
)
from recollect.app.project import Recollect
from recollect.app.stores import StateStores
from recollect.clock import from_text
from recollect.errors import RefusedError
from recollect.importing.transcripts.discovery import (
    TranscriptFile,
    newest_first,
    project_files,
    rows_of,
    transcript_files,
)
from recollect.importing.transcripts.drafting import digest, session_drafts
from recollect.importing.transcripts.markdown_rows import HARNESS as SPECSTORY
from recollect.importing.transcripts.past_session import PastReader, TranscriptReading, Turn
from recollect.importing.transcripts.rows import Rows
from recollect.records.categories import Category
from recollect.redaction.user_patterns import redactor
from recollect.storage import retention
from recollect.working.default_rules import rules_of
from recollect.working.past_sessions import ImportedTranscript, PastSessionStore

_UNDRAFTED = " undrafted"  # after the version of a transcript some of whose drafts had no room
ALREADY_IMPORTED = "already imported"
Progress = Callable[[int, int], None]
Drafts = dict[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class TranscriptOutcome:
    """What an import does, or did, with one transcript of the project.

    `drafts` are names and documents of new drafts, `held_back` counts those without room. `skipped` is the
    reason why nothing is imported, and `unreadable` counts lines that were passed over.
    """

    harness: str
    transcript: str
    session: str = ""
    ended_at: str = ""
    goal: str = ""
    entries: int = 0
    drafts: tuple[tuple[str, dict[str, Any]], ...] = ()
    held_back: int = 0
    unreadable: int = 0
    skipped: str = ""


@dataclass(frozen=True, slots=True)
class _Stores:
    """Where past sessions are, and what hooks recorded; None where there is nothing yet."""

    past: PastSessionStore | None
    recorded: StateStores | None


@dataclass(slots=True)
class TranscriptImport:
    """One import into one project. With `apply` it writes; without, it only says what it would write.

    `since` is a moment: sessions that ended before it are left out.
    """

    recollect: Recollect
    apply: bool = False
    since: str = ""
    _own: OwnCheckouts = field(init=False)
    _stores: _Stores = field(init=False)
    _collected: CollectedDrafts = field(init=False)
    _summarised: frozenset[str] = frozenset()
    _sessions: set[str] = field(default_factory=set)
    _waiting: dict[str, str] = field(default_factory=dict)  # the session of each draft, by name

    def __post_init__(self) -> None:
        self._own = OwnCheckouts(self.recollect.project, self.recollect.config.memory_root)

    def run(
        self, files: Sequence[TranscriptFile], progress: Progress | None = None
    ) -> Iterator[TranscriptOutcome]:
        """What becomes of each transcript of this project, as it is done. Those of others are left out."""
        self._summarised = _summarised(self.recollect)
        waiting = self.recollect.sessions.drafts.all()
        self._waiting = {draft.name: draft.session for draft in waiting}
        self._collected = CollectedDrafts(waiting)
        recorded = self.recollect.state.open() if self.recollect.state.exists() else None
        try:
            with self.recollect.past_sessions.opened(make=self.apply) as past:
                self._stores = _Stores(past, recorded)
                for number, file in enumerate(files, start=1):
                    outcome = self._outcome(file)
                    if outcome is not None:
                        yield outcome
                    if progress:
                        progress(number, len(files))
                if past is not None and self.apply:
                    past.prune()
        finally:
            if recorded is not None:
                recorded.close()

    def _outcome(self, file: TranscriptFile) -> TranscriptOutcome | None:
        redact = redactor(self.recollect.config.redaction)
        name = _stored_name(file.name, lambda text: redact(text)[0])
        past = self._stores.past
        before = past.imported(name) if past else None
        if before is not None and before.version == file.version:
            self._sessions.add(before.session)
            return TranscriptOutcome(file.harness, name, before.session, skipped=ALREADY_IMPORTED)
        stating = TurnsWithStatements()
        reader = PastReader(self._reading(file), stating.hear)
        try:
            reader.read(_rows(file))
        except (OSError, RefusedError) as error:
            return TranscriptOutcome(file.harness, name, skipped=f"cannot be read: {error}")
        if self._is_left_out(file, reader):
            return None
        reader.id = reader.id or file.path.stem
        return self._imported(file, name, reader, before, stating.turns)

    def _is_left_out(self, file: TranscriptFile, reader: PastReader) -> bool:
        """Whether a session is of another project, of a subagent, empty, or too old."""
        is_placed = reader.folder is not None or file.harness == SPECSTORY
        is_old = bool(self.since) and bool(reader.ended_at) and reader.ended_at < self.since
        return reader.is_foreign or not is_placed or not reader.entries or is_old

    def _imported(
        self,
        file: TranscriptFile,
        name: str,
        reader: PastReader,
        before: ImportedTranscript | None,
        turns: Sequence[Turn],
    ) -> TranscriptOutcome:
        facts = (file.harness, name, reader.id, reader.ended_at, reader.goal)
        if reader.id in self._sessions:
            return TranscriptOutcome(*facts, skipped="the same session as another transcript")
        self._sessions.add(reader.id)
        previous = dict(before.drafts) if before else {}
        drafts = self._new_drafts(reader, previous) | self._statements(reader, turns, name)
        room = {draft: drafts[draft] for draft in self._with_room(drafts, reader.id)}
        if self.apply and self._stores.past is not None:
            for draft, document in room.items():
                self.recollect.sessions.drafts.put(draft, document)
            digests = {**previous, **{draft: digest(document) for draft, document in room.items()}}
            version = file.version if len(room) == len(drafts) else file.version + _UNDRAFTED
            note = ImportedTranscript(name, version, reader.id, tuple(sorted(digests.items())))
            self._stores.past.save(note, reader.session(name), reader.entries)
        return TranscriptOutcome(
            *facts,
            len(reader.entries),
            tuple(room.items()),
            len(drafts) - len(room),
            reader.unreadable,
        )

    def _new_drafts(self, reader: PastReader, previous: dict[str, str]) -> Drafts:
        """The drafts that no import and no hook made before, or whose session went on since."""
        recorded = self._stores.recorded
        if recorded and recorded.sessions.state(reader.id).seen_at:
            return {}  # hooks drafted it while it ran
        drafts = session_drafts(reader)
        if reader.id in self._summarised:
            drafts.pop(f"session-{reader.id}", None)
        return {
            name: document
            for name, document in drafts.items()
            if previous.get(name) != digest(document)
            and (name in previous or self._is_free(name, reader.id))
        }

    def _statements(self, reader: PastReader, turns: Sequence[Turn], transcript: str) -> Drafts:
        """What the session states. A draft that a person kept or dropped does not come back."""
        redact, past = redactor(self.recollect.config.redaction), self._stores.past
        drafts = statement_drafts(
            turns, reader.id, transcript, self._collected, redact, memory_holds(self.recollect)
        )
        return {
            name: document
            for name, document in drafts.items()
            if name in self._waiting or not (past and past.drafted(name))
        }

    def _is_free(self, name: str, session: str) -> bool:
        """Whether no other session has drafted this, and no memory fixes its error."""
        past, recorded = self._stores.past, self._stores.recorded
        if past and past.drafted(name):
            return False
        if recorded and recorded.history.fixes(name.removeprefix("runbook-")):
            return False
        return self._waiting.get(name, session) == session

    def _with_room(self, drafts: Drafts, session: str) -> list[str]:
        """The drafts that fit; a fifth of the room is left to running sessions."""
        most = retention.MAX_DRAFTS * 4 // 5
        names: list[str] = []
        for name in drafts:
            if name in self._waiting or len(self._waiting) < most:
                names.append(name)
                self._waiting[name] = session
        return names

    def _reading(self, file: TranscriptFile) -> TranscriptReading:
        config, harness = self.recollect.config, find_harness(file.harness)
        tools = harness.tools if harness else all_tools()
        roots = (self.recollect.project.root.shown, str(self.recollect.root))
        rules = rules_of(config.rules, tools)
        return TranscriptReading(
            file.harness, tools, rules, redactor(config.redaction), roots, self._own.of
        )


def find_transcripts(
    recollect: Recollect, names: Sequence[str] = (), since: str = ""
) -> list[TranscriptFile]:
    """The transcripts on this machine that changed since a moment, of all harnesses or of these.

    Raises RefusedError for a name that keeps no transcripts. SpecStory's copies come last, because a
    session is imported once, from its harness's own transcript.
    """
    known = [harness for harness in all_harnesses() if harness.past]
    choices = [*(harness.name for harness in known), SPECSTORY]
    if unknown := [name for name in names if name not in choices]:
        raise RefusedError(
            f"{unknown[0]!r} has no transcripts that Recollect can read; choose one of "
            f"{', '.join(choices)}."
        )
    connections, wanted = recollect.connections, names or choices
    chosen = [harness for harness in known if harness.name in wanted]
    home, env = str(connections.home), connections.env
    stored = [file for harness in chosen for file in database_transcripts(harness, home, env)]
    files = newest_first([*stored, *transcript_files(chosen, home, env)])
    if SPECSTORY in wanted:
        own = OwnCheckouts(recollect.project, recollect.config.memory_root)
        files += project_files(own.folders)
    earliest = from_text(since).timestamp() if since else 0
    return [file for file in files if file.modified >= earliest]


def _rows(file: TranscriptFile) -> Rows:
    harness = find_harness(file.harness)
    if file.session and harness and harness.past:
        return database_rows(file, harness.past)
    return rows_of(file, harness)


def _summarised(recollect: Recollect) -> frozenset[str]:
    """The sessions whose summary is a memory already."""
    memories = [stored.memory for stored in recollect.memories.scan().stored]
    summaries = [memory for memory in memories if memory.category is Category.SESSION_SUMMARY]
    return frozenset(str(memory.source.get("session")) for memory in summaries)


def _stored_name(path: str, clean: Callable[[str], str]) -> str:
    """The path of a transcript as it may be stored. Two with secrets in their names stay two."""
    shown = clean(path)
    if shown == path:
        return path
    return f"{shown}~{hashlib.sha256(os.fsencode(path)).hexdigest()[:8]}"
