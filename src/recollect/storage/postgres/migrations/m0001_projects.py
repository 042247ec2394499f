"""The projects of this database."""

from recollect.storage.postgres.database import Connection
from recollect.storage.postgres.tenancy import isolate

_TABLE = """
CREATE TABLE project (
    project text PRIMARY KEY CHECK (project <> ''),
    name text NOT NULL,             -- what people call it
    created_at timestamptz NOT NULL DEFAULT now()
)
"""


def apply(connection: Connection) -> None:
    connection.execute(_TABLE)
    isolate(connection, "project")
