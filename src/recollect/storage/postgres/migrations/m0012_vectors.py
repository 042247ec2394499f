"""Vectors of passages, for search by meaning. Derived from the documents.

`pgvector` must be there: CREATE EXTENSION needs a superuser, who runs it once in the database.
"""

from psycopg import errors as sqlstates

from recollect.errors import DatabaseError
from recollect.storage.postgres.database import Connection, address_of
from recollect.storage.postgres.tenancy import isolate

_TABLE = """
CREATE TABLE passage (
    project text NOT NULL,
    model text NOT NULL,
    document bigint NOT NULL,
    place integer NOT NULL,             -- of the passage in its document
    embedding vector NOT NULL,          -- of length 1, so that the inner product is the cosine
    PRIMARY KEY (project, document, model, place)
)
"""


def apply(connection: Connection) -> None:
    try:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except (sqlstates.InsufficientPrivilege, sqlstates.UndefinedFile, sqlstates.FeatureNotSupported):
        raise DatabaseError(
            str(address_of(connection.info.dsn)),
            "it lacks the extension pgvector",
            "install pgvector on its server, and let a superuser run CREATE EXTENSION vector in it",
        ) from None
    connection.execute(_TABLE)
    isolate(connection, "passage")
