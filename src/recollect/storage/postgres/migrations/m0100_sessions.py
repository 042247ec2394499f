"""Sessions, their working memory, what was injected into their prompts, and numbers in a row.

Text that is sorted has the collation C, so that the order is that of the embedded engine.
"""

from recollect.storage.postgres.database import Connection
from recollect.storage.postgres.tenancy import isolate

_PROJECT = "project text NOT NULL REFERENCES project (project) ON DELETE CASCADE"
_TABLES = {
    # The last number of each table whose rows are counted; its row is the lock of those who count.
    "numbering": "name text NOT NULL, last bigint NOT NULL, PRIMARY KEY (project, name)",
    "session": """
        id text COLLATE "C" NOT NULL,
        started_at text COLLATE "C" NOT NULL,
        seen_at text COLLATE "C" NOT NULL,
        harness text NOT NULL,
        goal text NOT NULL,
        events bigint NOT NULL,
        compactions bigint NOT NULL,
        pointed boolean NOT NULL,
        summary_memory text NOT NULL,
        extracted bigint NOT NULL,
        redacted bigint NOT NULL,
        tool_event bigint NOT NULL DEFAULT 0,  -- moves once per tool call; `events` counts prompts too
        PRIMARY KEY (project, id)""",
    "item": """
        session text COLLATE "C" NOT NULL,
        number integer NOT NULL,
        content text COLLATE "C" NOT NULL,
        base double precision NOT NULL,
        last bigint NOT NULL,
        mentions bigint NOT NULL,
        tool text NOT NULL,
        rule text NOT NULL,
        event bigint NOT NULL,
        redacted boolean NOT NULL,
        kind text NOT NULL,
        fingerprint text NOT NULL,
        command text NOT NULL,
        paths text NOT NULL,                   -- one to a line
        PRIMARY KEY (project, session, number)""",
    "left_item": """
        number bigint NOT NULL,
        session text COLLATE "C" NOT NULL,
        content text NOT NULL,
        kind text NOT NULL,
        rule text NOT NULL,
        reason text NOT NULL,
        event bigint NOT NULL,
        PRIMARY KEY (project, session, number)""",
    "rule_count": """
        rule text COLLATE "C" NOT NULL,
        matched bigint NOT NULL,
        last_at text NOT NULL,
        PRIMARY KEY (project, rule)""",
    "injection": """
        session text COLLATE "C" NOT NULL,
        memory text COLLATE "C" NOT NULL,
        compaction bigint NOT NULL,
        event bigint NOT NULL,
        at text COLLATE "C" NOT NULL,
        probability double precision NOT NULL,
        used text,
        PRIMARY KEY (project, session, memory, compaction)""",
    "waiting_memory": """
        session text COLLATE "C" NOT NULL,
        memory text COLLATE "C" NOT NULL,
        PRIMARY KEY (project, session, memory)""",
    "failure": """
        session text COLLATE "C" NOT NULL,
        fingerprint text COLLATE "C" NOT NULL,
        command text NOT NULL,
        content text NOT NULL,
        event bigint NOT NULL,                 -- its first
        times bigint NOT NULL,
        at text COLLATE "C" NOT NULL,
        resolved_at text,
        PRIMARY KEY (project, session, fingerprint)""",
    "action": """
        session text COLLATE "C" NOT NULL,
        kind text COLLATE "C" NOT NULL,        -- commit, edit or command
        digest text NOT NULL,                  -- of the text, which may be too long for an index
        text text COLLATE "C" NOT NULL,
        event bigint NOT NULL,                 -- its last
        PRIMARY KEY (project, session, kind, digest)""",
    "fix": """
        fingerprint text COLLATE "C" NOT NULL,
        memory text COLLATE "C" NOT NULL,
        PRIMARY KEY (project, fingerprint, memory)""",
    "turn": """
        session text COLLATE "C" NOT NULL,
        number bigint NOT NULL,
        text text NOT NULL,
        PRIMARY KEY (project, session, number)""",
}
_INDEXES = (
    "CREATE INDEX session_seen ON session (project, seen_at DESC)",
    "CREATE INDEX injection_memory ON injection (project, memory)",
    "CREATE INDEX injection_at ON injection (project, at DESC)",
    "CREATE INDEX failure_fingerprint ON failure (project, fingerprint)",
    "CREATE INDEX failure_at ON failure (project, at DESC)",
    "CREATE INDEX failure_open ON failure (project, md5(command)) WHERE resolved_at IS NULL",
)


def apply(connection: Connection) -> None:
    """Make the tables, each of them hidden from other projects."""
    for name, columns in _TABLES.items():
        connection.execute(f"CREATE TABLE {name} ({_PROJECT}, {columns})")
    for index in _INDEXES:
        connection.execute(index)
    isolate(connection, *_TABLES)
