"""Which server has which project, for teams whose projects are spread over several servers."""

from recollect.storage.postgres.database import Connection

# Shared by all projects on purpose: whoever opens a project asks it first. It has no content of any project.
_TABLE = """
CREATE TABLE directory (
    project text PRIMARY KEY CHECK (project <> ''),
    name text NOT NULL,
    server text NOT NULL DEFAULT '',   -- the address without its password; empty: this server
    created_at timestamptz NOT NULL DEFAULT now()
)
"""


def apply(connection: Connection) -> None:
    connection.execute(_TABLE)
