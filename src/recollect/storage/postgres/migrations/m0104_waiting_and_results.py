"""Drafts and dismissals of a review, and results that were too large for a reply."""

from recollect.storage.postgres.database import Connection
from recollect.storage.postgres.tenancy import isolate

_PROJECT = "project text NOT NULL REFERENCES project (project) ON DELETE CASCADE"
_TABLES = {
    "draft": """
        name text COLLATE "C" NOT NULL,
        document text NOT NULL,                -- JSON
        number bigint NOT NULL,                -- the oldest have the lowest
        PRIMARY KEY (project, name)""",
    "dismissal": """
        key text COLLATE "C" NOT NULL,
        number bigint NOT NULL,
        PRIMARY KEY (project, key)""",
    "stored_result": """
        handle text NOT NULL,
        tool text NOT NULL,
        written double precision NOT NULL,     -- seconds since the epoch
        bytes bigint NOT NULL,
        PRIMARY KEY (project, handle)""",
    "stored_part": """
        handle text NOT NULL,
        number integer NOT NULL,
        kind text NOT NULL,
        name text NOT NULL,
        mime text NOT NULL,
        delimiter text NOT NULL,
        data bytea NOT NULL,
        PRIMARY KEY (project, handle, number),
        FOREIGN KEY (project, handle) REFERENCES stored_result (project, handle) ON DELETE CASCADE""",
}
_INDEXES = (
    "CREATE INDEX draft_number ON draft (project, number DESC)",
    "CREATE INDEX dismissal_number ON dismissal (project, number DESC)",
)


def apply(connection: Connection) -> None:
    """Make the tables, each of them hidden from other projects."""
    for name, columns in _TABLES.items():
        connection.execute(f"CREATE TABLE {name} ({_PROJECT}, {columns})")
    for index in _INDEXES:
        connection.execute(index)
    isolate(connection, *_TABLES)
