"""Past sessions: what transcripts say was said, done and committed. Searched by themselves, never injected.

Not working memory and not memories: no prompt gets them, and a plain search does not see them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from recollect.values import Frozen

EntryKind = Literal["said", "answered", "edited", "committed", "failed"]

SESSIONS_KEPT = 2_000  # past sessions of one project; the oldest make room
ENTRIES_KEPT = 400  # of one session: the first half and the last
ENTRY_LENGTH = 1_000  # characters of an entry


class PastSession(Frozen):
    """A session that a transcript records. Its goal has passed the redaction gate.

    `id` is the harness's own. `transcript` is the file, `ended_at` the moment of its last row.
    """

    id: str
    harness: str
    transcript: str
    started_at: str = ""
    ended_at: str = ""
    goal: str = ""


class PastEntry(Frozen):
    """One thing that happened in a past session, redacted and bounded. `line` is that of the transcript."""

    kind: EntryKind
    text: str
    line: int
    at: str = ""


class PastHit(Frozen):
    """An entry that a search matched, in its session."""

    session: PastSession
    entry: PastEntry


class PastHits(Frozen):
    """A page of matches, best first, and how many there are on all pages."""

    hits: tuple[PastHit, ...]
    total: int


class ImportedTranscript(Frozen):
    """What an import remembers of a transcript: its session, the version it read, digests of its drafts."""

    path: str
    version: str
    session: str = ""
    drafts: tuple[tuple[str, str], ...] = ()  # the name of a draft, and a digest of what was drafted


class PastSessionStore(Protocol):
    """Past sessions and which transcripts they come from. Every method may raise StoreError."""

    def imported(self, path: str) -> ImportedTranscript | None:
        """What the last import of a transcript recorded; None before the first."""
        ...

    def drafted(self, name: str) -> str:
        """The digest of the last draft that an import made under a name; '' if none did."""
        ...

    def save(
        self, transcript: ImportedTranscript, session: PastSession, entries: Sequence[PastEntry]
    ) -> None:
        """Replace all that is stored of a transcript: all of it or nothing, even if the process dies."""
        ...

    def search(self, words: Sequence[str], limit: int, offset: int = 0) -> PastHits:
        """The entries with any of these stems, best first; equal ones newest first."""
        ...

    def sessions(self, limit: int) -> list[PastSession]:
        """The past sessions, the newest first."""
        ...

    def prune(self, *, before: str = "", most: int = SESSIONS_KEPT) -> int:
        """Delete sessions that ended before a moment, and all but the newest `most`; how many.

        Their transcripts count as imported still, so that the next import does not bring them back.
        """
        ...
