"""Runs of workflows: their events, the commands that wait for them, leases, and grants."""

from recollect.storage.postgres.database import Connection
from recollect.storage.postgres.tenancy import isolate

_PROJECT = "project text NOT NULL REFERENCES project (project) ON DELETE CASCADE"
_RUN = "FOREIGN KEY (project, run) REFERENCES run (project, id) ON DELETE CASCADE"
_TABLES = {
    "run": """
        id text COLLATE "C" NOT NULL,
        intent text NOT NULL,
        status text NOT NULL,
        started_at text COLLATE "C" NOT NULL,
        changed_at text COLLATE "C" NOT NULL,
        events bigint NOT NULL,                -- the number of the last one
        PRIMARY KEY (project, id)""",
    "run_event": f"""
        run text COLLATE "C" NOT NULL,
        number bigint NOT NULL,                -- from 1, without gaps
        at text NOT NULL,
        name text NOT NULL,
        content text NOT NULL,                 -- JSON: its fields, and the paths that were redacted
        PRIMARY KEY (project, run, number),
        {_RUN}""",
    "run_command": """
        run text COLLATE "C" NOT NULL,
        id text COLLATE "C" NOT NULL,
        number bigint NOT NULL,
        sent_at text COLLATE "C" NOT NULL,
        content text NOT NULL,                 -- JSON: name, arguments, author, door
        PRIMARY KEY (project, run, id)""",
    "run_lease": """
        run text COLLATE "C" NOT NULL,
        holder text NOT NULL,
        until timestamptz NOT NULL,            -- by the clock of the database
        PRIMARY KEY (project, run)""",
    "run_grant": """
        id text COLLATE "C" NOT NULL,
        tool text COLLATE "C" NOT NULL,
        arguments text NOT NULL,               -- JSON: a pattern for each path
        uses bigint NOT NULL,                  -- that are left
        expires text COLLATE "C" NOT NULL,
        granted_by text NOT NULL,
        PRIMARY KEY (project, id)""",
}
_INDEXES = (
    "CREATE INDEX run_changed ON run (project, changed_at DESC, id)",
    "CREATE INDEX run_grant_tool ON run_grant (project, tool, expires, id)",
)


def apply(connection: Connection) -> None:
    """Make the tables, each of them hidden from other projects."""
    for name, columns in _TABLES.items():
        connection.execute(f"CREATE TABLE {name} ({_PROJECT}, {columns})")
    for index in _INDEXES:
        connection.execute(index)
    isolate(connection, *_TABLES)
