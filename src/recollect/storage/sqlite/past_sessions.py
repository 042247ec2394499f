"""Past sessions in `state.db`: the SQLite adapter of `PastSessionStore`.

`past_text` is a full-text index over the stems of the entries; its rows have the keys of `past_entry`.
"""

from __future__ import annotations

from recollect.storage.sqlite.schema import TOKENIZER, storable
from recollect.text.stemming import stems
from recollect.text.tokens import tokens
from recollect.working.past_sessions import (
    SESSIONS_KEPT,
    ImportedTranscript,
    PastEntry,
    PastHit,
    PastHits,
    PastSession,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.storage.sqlite.state import StateConnection

# Not among the migrations: a hook runs those, also where SQLite has no full-text search.
_INDEX = f"CREATE VIRTUAL TABLE IF NOT EXISTS past_text USING fts5 (text, tokenize = '{TOKENIZER}')"
_SESSION = "id, harness, transcript, started_at, ended_at, goal"


class SqlitePastSessions:
    """Loads, saves and searches past sessions."""

    def __init__(self, db: StateConnection) -> None:
        self._db = db
        db.rows(_INDEX)

    def imported(self, path: str) -> ImportedTranscript | None:
        sql = "SELECT version, session FROM past_transcript WHERE path = ?"
        rows = self._db.rows(sql, (storable(path),))
        if not rows:
            return None
        sql = "SELECT name, digest FROM past_draft WHERE transcript = ? ORDER BY name"
        drafts = [(name, digest) for name, digest in self._db.rows(sql, (storable(path),))]
        return ImportedTranscript(path, rows[0][0], rows[0][1], tuple(drafts))

    def drafted(self, name: str) -> str:
        sql = "SELECT digest FROM past_draft WHERE name = ? ORDER BY key DESC LIMIT 1"
        rows = self._db.rows(sql, (storable(name),))
        return str(rows[0][0]) if rows else ""

    def save(
        self, transcript: ImportedTranscript, session: PastSession, entries: Sequence[PastEntry]
    ) -> None:
        path = storable(transcript.path)
        with self._db.transaction():
            self._delete(path)
            note = (path, transcript.version, storable(transcript.session))
            self._db.rows("INSERT OR REPLACE INTO past_transcript VALUES (?, ?, ?)", note)
            self._db.rows("DELETE FROM past_draft WHERE transcript = ?", (path,))
            self._db.write_many(
                "INSERT INTO past_draft (name, digest, transcript) VALUES (?, ?, ?)",
                [(storable(name), digest, path) for name, digest in transcript.drafts],
            )
            facts = (session.id, session.harness, path, session.started_at, session.ended_at)
            self._db.rows(
                f"INSERT INTO past_session ({_SESSION}) VALUES (?, ?, ?, ?, ?, ?)",
                (*map(storable, facts), storable(session.goal)),
            )
            for entry in entries:
                self._add(path, entry)

    def _add(self, path: str, entry: PastEntry) -> None:
        text = storable(entry.text)
        [row] = self._db.rows(
            "INSERT INTO past_entry (transcript, kind, text, line, at) VALUES (?, ?, ?, ?, ?)"
            " RETURNING key",
            (path, entry.kind, text, entry.line, storable(entry.at)),
        )
        words = " ".join(stems(tokens(text)))
        self._db.rows("INSERT INTO past_text (rowid, text) VALUES (?, ?)", (row[0], words))

    def search(self, words: Sequence[str], limit: int, offset: int = 0) -> PastHits:
        match = " OR ".join(f'"{word}"' for word in map(_plain, words) if word)
        if not match:
            return PastHits((), 0)
        matching = "FROM past_text WHERE past_text MATCH ?"
        [count] = self._db.rows(f"SELECT count(*) {matching}", (match,))
        rows = self._db.rows(
            f"SELECT {_SESSION}, kind, text, line, at FROM ("
            f" SELECT rowid AS found, bm25(past_text) AS score {matching})"
            " JOIN past_entry ON past_entry.key = found"
            " JOIN past_session USING (transcript)"
            " ORDER BY score, at DESC, found DESC LIMIT ? OFFSET ?",
            (match, limit, offset),
        )
        hits = [PastHit(PastSession(*row[:6]), PastEntry(*row[6:])) for row in rows]
        return PastHits(tuple(hits), count[0])

    def sessions(self, limit: int) -> list[PastSession]:
        sql = f"SELECT {_SESSION} FROM past_session ORDER BY ended_at DESC, transcript LIMIT ?"
        return [PastSession(*row) for row in self._db.rows(sql, (limit,))]

    def prune(self, *, before: str = "", most: int = SESSIONS_KEPT) -> int:
        sql = (
            "SELECT transcript FROM past_session WHERE ended_at < ?1 OR transcript IN"
            " (SELECT transcript FROM past_session ORDER BY ended_at DESC, transcript LIMIT -1 OFFSET ?2)"
        )
        with self._db.transaction():
            old = [row[0] for row in self._db.rows(sql, (before, most))]
            for path in old:
                self._delete(path)
        return len(old)

    def _delete(self, path: str) -> None:
        """Delete a transcript's session and entries; that it was imported stays on record."""
        own = "(SELECT key FROM past_entry WHERE transcript = ?)"
        self._db.rows(f"DELETE FROM past_text WHERE rowid IN {own}", (path,))
        self._db.rows("DELETE FROM past_entry WHERE transcript = ?", (path,))
        self._db.rows("DELETE FROM past_session WHERE transcript = ?", (path,))


def _plain(word: str) -> str:
    """A stem inside an FTS5 string, in which nothing is query syntax."""
    return storable(word).replace("\0", "").replace('"', '""')
