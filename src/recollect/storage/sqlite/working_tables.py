"""The tables of working memory in `state.db`, as the migrations that add them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

_SESSION = (
    "harness TEXT NOT NULL DEFAULT ''",
    "seen_at TEXT NOT NULL DEFAULT ''",
    "tool_event INTEGER NOT NULL DEFAULT 0",  # moves once per tool call; `events` counts prompts too
    "goal TEXT NOT NULL DEFAULT ''",
    "kept TEXT NOT NULL DEFAULT ''",  # the memory that its summary was kept as
)
_TABLES = (
    """CREATE TABLE item (
        session TEXT NOT NULL,
        content TEXT NOT NULL,
        base REAL NOT NULL,
        last INTEGER NOT NULL,
        mentions INTEGER NOT NULL,
        tool TEXT NOT NULL,
        rule TEXT NOT NULL,
        event INTEGER NOT NULL,
        redacted INTEGER NOT NULL,
        kind TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        command TEXT NOT NULL,
        paths TEXT NOT NULL,             -- one to a line
        PRIMARY KEY (session, content)
    ) WITHOUT ROWID""",
    """CREATE TABLE faded (
        key INTEGER PRIMARY KEY,
        session TEXT NOT NULL,
        content TEXT NOT NULL,
        kind TEXT NOT NULL,
        rule TEXT NOT NULL,
        reason TEXT NOT NULL,
        event INTEGER NOT NULL
    )""",
    "CREATE INDEX faded_session ON faded (session)",
    """CREATE TABLE rule_count (
        rule TEXT PRIMARY KEY,
        matched INTEGER NOT NULL,
        last_at TEXT NOT NULL
    ) WITHOUT ROWID""",
    """CREATE TABLE trouble (
        session TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        command TEXT NOT NULL,
        content TEXT NOT NULL,
        event INTEGER NOT NULL,          -- when it was first seen
        times INTEGER NOT NULL DEFAULT 1,
        at TEXT NOT NULL,
        resolved_at TEXT,
        PRIMARY KEY (session, fingerprint)
    ) WITHOUT ROWID""",
    "CREATE INDEX trouble_fingerprint ON trouble (fingerprint)",
    "CREATE INDEX trouble_open ON trouble (command) WHERE resolved_at IS NULL",
    """CREATE TABLE deed (
        session TEXT NOT NULL,
        kind TEXT NOT NULL,              -- commit, edit or command
        text TEXT NOT NULL,
        event INTEGER NOT NULL,          -- when it was last done
        PRIMARY KEY (session, kind, text)
    ) WITHOUT ROWID""",
    # Runbooks that fixed an error, and those that the next prompt of a session is to be told of.
    "CREATE TABLE fix (fingerprint TEXT, memory TEXT, PRIMARY KEY (fingerprint, memory)) WITHOUT ROWID",
    "CREATE TABLE waiting (session TEXT, memory TEXT, PRIMARY KEY (session, memory)) WITHOUT ROWID",
)


def working_memory(db: sqlite3.Connection) -> None:
    """Add what working memory keeps. Sessions that are there already go on, with nothing in mind."""
    for column in _SESSION:
        db.execute(f"ALTER TABLE session ADD COLUMN {column}")
    for table in _TABLES:
        db.execute(table)


def turns(db: sqlite3.Connection) -> None:
    """Add the last prompts of sessions that have no transcript."""
    db.execute("CREATE TABLE turn (key INTEGER PRIMARY KEY, session TEXT NOT NULL, text TEXT NOT NULL)")
    db.execute("CREATE INDEX turn_session ON turn (session)")
