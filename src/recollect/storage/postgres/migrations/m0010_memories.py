"""Memories, byte for byte as their files, and their earlier versions."""

from recollect.storage.postgres.database import Connection
from recollect.storage.postgres.tenancy import isolate

_TABLES = """
CREATE TABLE memory (
    project text NOT NULL REFERENCES project ON DELETE CASCADE,
    path text COLLATE "C" NOT NULL,     -- below the root: decisions/sign-a-jwt.json
    data bytea NOT NULL,                -- the file, valid or not
    digest text NOT NULL,               -- SHA-256 of it, which names the version
    PRIMARY KEY (project, path)
);
CREATE TABLE memory_revision (
    project text NOT NULL REFERENCES project ON DELETE CASCADE,
    path text COLLATE "C" NOT NULL,
    number bigint GENERATED ALWAYS AS IDENTITY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    author text NOT NULL,
    data bytea,                         -- NULL when it was deleted
    PRIMARY KEY (project, path, number)
);
CREATE INDEX memory_revision_number ON memory_revision (project, number);
"""


def apply(connection: Connection) -> None:
    connection.execute(_TABLES)
    isolate(connection, "memory", "memory_revision")
