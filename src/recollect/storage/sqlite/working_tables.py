"""The tables of `state.db`, as the migrations that add them.

Names of tables and columns are part of the file format: `deed` holds actions, `trouble` failures, and
`session.kept` the memory that a session's summary was saved as.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

_FIRST_TABLES = (
    """CREATE TABLE session (
        id TEXT PRIMARY KEY,
        started_at TEXT NOT NULL,
        events INTEGER NOT NULL DEFAULT 0,
        compactions INTEGER NOT NULL DEFAULT 0,
        pointed INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID""",
    """CREATE TABLE injection (
        session TEXT NOT NULL,
        memory TEXT NOT NULL,
        compaction INTEGER NOT NULL,
        event INTEGER NOT NULL,
        at TEXT NOT NULL,
        probability REAL NOT NULL,
        used TEXT,
        PRIMARY KEY (session, memory, compaction)
    ) WITHOUT ROWID""",
    "CREATE INDEX injection_memory ON injection (memory)",
)
_SESSION_COLUMNS = (
    "harness TEXT NOT NULL DEFAULT ''",
    "seen_at TEXT NOT NULL DEFAULT ''",
    "tool_event INTEGER NOT NULL DEFAULT 0",  # moves once per tool call; `events` counts prompts too
    "goal TEXT NOT NULL DEFAULT ''",
    "kept TEXT NOT NULL DEFAULT ''",  # the memory that holds its summary
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
        event INTEGER NOT NULL,          -- its first
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
        event INTEGER NOT NULL,          -- its last
        PRIMARY KEY (session, kind, text)
    ) WITHOUT ROWID""",
    # Runbooks that fixed an error, and those that the next prompt of a session is shown.
    "CREATE TABLE fix (fingerprint TEXT, memory TEXT, PRIMARY KEY (fingerprint, memory)) WITHOUT ROWID",
    "CREATE TABLE waiting (session TEXT, memory TEXT, PRIMARY KEY (session, memory)) WITHOUT ROWID",
)


def sessions_and_injections(db: sqlite3.Connection) -> None:
    """Add sessions and the injections into their prompts."""
    for table in _FIRST_TABLES:
        db.execute(table)


def working_memory(db: sqlite3.Connection) -> None:
    """Add working memory. Sessions that are there already go on without items."""
    for column in _SESSION_COLUMNS:
        db.execute(f"ALTER TABLE session ADD COLUMN {column}")
    for table in _TABLES:
        db.execute(table)


def turns(db: sqlite3.Connection) -> None:
    """Add the last prompts of sessions without a transcript."""
    db.execute("CREATE TABLE turn (key INTEGER PRIMARY KEY, session TEXT NOT NULL, text TEXT NOT NULL)")
    db.execute("CREATE INDEX turn_session ON turn (session)")


def item_counts(db: sqlite3.Connection) -> None:
    """Add how many items the rules made of a session's tool calls, and how many had a secret removed."""
    for column in ("extracted", "redacted"):
        db.execute(f"ALTER TABLE session ADD COLUMN {column} INTEGER NOT NULL DEFAULT 0")


def origin(db: sqlite3.Connection) -> None:
    """Add the note where the database was made."""
    db.execute(
        "CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"
    )


def tool_edges(db: sqlite3.Connection) -> None:
    """Add the tool graph: which tool was called after which."""
    db.execute(
        "CREATE TABLE tool_edge (source TEXT NOT NULL, target TEXT NOT NULL, type TEXT NOT NULL,"
        " origin TEXT NOT NULL, count INTEGER NOT NULL, seen_at TEXT NOT NULL,"
        " PRIMARY KEY (source, target, type)) WITHOUT ROWID"
    )


def runs(db: sqlite3.Connection) -> None:
    """Add runs of workflows: their events, commands that wait for them, and approvals given beforehand."""
    for table in _RUN_TABLES:
        db.execute(table)


def traces(db: sqlite3.Connection) -> None:
    """Add traces of scorings."""
    for table in _TRACE_TABLES:
        db.execute(table)


def call_sequences(db: sqlite3.Connection) -> None:
    """Add the calls of upstream tools in their order."""
    db.execute(
        "CREATE TABLE tool_call (key INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL,"
        " tool TEXT NOT NULL)"
    )


def thresholds(db: sqlite3.Connection) -> None:
    """Add adaptive thresholds."""
    db.execute(
        "CREATE TABLE threshold (kind TEXT PRIMARY KEY, content TEXT NOT NULL) WITHOUT ROWID"  # JSON
    )


def capabilities(db: sqlite3.Connection) -> None:
    """Add code that worked."""
    db.execute(
        "CREATE TABLE capability (name TEXT PRIMARY KEY, digest TEXT NOT NULL UNIQUE, runs INTEGER NOT NULL,"
        " successes INTEGER NOT NULL, content TEXT NOT NULL) WITHOUT ROWID"  # JSON
    )


def episodes(db: sqlite3.Connection) -> None:
    """Add how runs went, by what they were for."""
    db.execute(
        "CREATE TABLE episode (key INTEGER PRIMARY KEY AUTOINCREMENT, context TEXT NOT NULL,"
        " at TEXT NOT NULL, outcome TEXT NOT NULL, content TEXT NOT NULL)"  # JSON
    )
    db.execute("CREATE INDEX episode_context ON episode (context)")


def past_sessions(db: sqlite3.Connection) -> None:
    """Add past sessions, and the transcripts they come from. Their adapter adds the index of words."""
    for table in _PAST_TABLES:
        db.execute(table)


_PAST_TABLES = (
    # The version of a transcript that was imported, and digests of the drafts that came of it.
    """CREATE TABLE past_transcript (
        path TEXT PRIMARY KEY,
        version TEXT NOT NULL,           -- changes when the file does
        session TEXT NOT NULL
    ) WITHOUT ROWID""",
    """CREATE TABLE past_draft (
        key INTEGER PRIMARY KEY,
        name TEXT NOT NULL,
        digest TEXT NOT NULL,
        transcript TEXT NOT NULL
    )""",
    "CREATE INDEX past_draft_name ON past_draft (name)",
    "CREATE INDEX past_draft_transcript ON past_draft (transcript)",
    """CREATE TABLE past_session (
        transcript TEXT PRIMARY KEY,
        id TEXT NOT NULL,
        harness TEXT NOT NULL,
        started_at TEXT NOT NULL,
        ended_at TEXT NOT NULL,
        goal TEXT NOT NULL
    ) WITHOUT ROWID""",
    "CREATE INDEX past_session_ended ON past_session (ended_at)",
    """CREATE TABLE past_entry (
        key INTEGER PRIMARY KEY,
        transcript TEXT NOT NULL,
        kind TEXT NOT NULL,              -- said, answered, edited, committed or failed
        text TEXT NOT NULL,
        line INTEGER NOT NULL,           -- of the transcript
        at TEXT NOT NULL
    )""",
    "CREATE INDEX past_entry_transcript ON past_entry (transcript)",
)
_TRACE_TABLES = (
    """CREATE TABLE trace_params (
        key INTEGER PRIMARY KEY,
        content TEXT NOT NULL UNIQUE     -- JSON: the parameters that scorings share
    )""",
    """CREATE TABLE trace (
        key INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used twice, so that the newest can be counted off
        scoring TEXT NOT NULL,
        at TEXT NOT NULL,
        kind TEXT NOT NULL,
        context TEXT NOT NULL,           -- a digest of the request
        session TEXT NOT NULL,
        candidate TEXT NOT NULL,
        signals TEXT NOT NULL,           -- JSON
        params INTEGER NOT NULL,
        score REAL NOT NULL,
        threshold REAL,
        decision TEXT NOT NULL,
        milliseconds REAL NOT NULL,
        outcome TEXT
    )""",
    "CREATE INDEX trace_scoring ON trace (scoring)",
)
_RUN_TABLES = (
    """CREATE TABLE run (
        id TEXT PRIMARY KEY,
        intent TEXT NOT NULL,
        status TEXT NOT NULL,
        started_at TEXT NOT NULL,
        changed_at TEXT NOT NULL
    ) WITHOUT ROWID""",
    """CREATE TABLE run_event (
        run TEXT NOT NULL,
        number INTEGER NOT NULL,         -- from 1, without gaps
        at TEXT NOT NULL,
        name TEXT NOT NULL,
        content TEXT NOT NULL,           -- JSON: its fields, and the paths that were redacted
        PRIMARY KEY (run, number)
    ) WITHOUT ROWID""",
    """CREATE TABLE run_command (
        id TEXT PRIMARY KEY,
        run TEXT NOT NULL,
        sent_at TEXT NOT NULL,
        content TEXT NOT NULL            -- JSON: name, arguments, author, door
    )""",
    """CREATE TABLE run_grant (
        id TEXT PRIMARY KEY,
        tool TEXT NOT NULL,
        arguments TEXT NOT NULL,         -- JSON: a pattern for each path
        uses INTEGER NOT NULL,           -- that are left
        expires TEXT NOT NULL,
        by TEXT NOT NULL
    ) WITHOUT ROWID""",
)
