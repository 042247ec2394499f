"""Row-level security: a statement sees the rows of its transaction's project, even if it names none."""

from psycopg import sql

from recollect.errors import DatabaseError
from recollect.storage.postgres.database import Connection, Database

# NULL or nothing outside a project's transaction, which equals no key.
_POLICY = """
CREATE POLICY of_project ON {table}
    USING (project = current_setting('recollect.project', true))
    WITH CHECK (project = current_setting('recollect.project', true))
"""
_BYPASSES = "SELECT rolname FROM pg_roles WHERE rolname = current_user AND (rolsuper OR rolbypassrls)"


def isolate(connection: Connection, *tables: str) -> None:
    """Hide the rows of other projects in these tables, from their owner too. Each has a column `project`."""
    for table in tables:
        name = sql.Identifier(table)
        for statement in (
            "ALTER TABLE {table} ENABLE ROW LEVEL SECURITY",
            "ALTER TABLE {table} FORCE ROW LEVEL SECURITY",
            _POLICY,
        ):
            connection.execute(sql.SQL(statement).format(table=name))


def refuse_bypass(database: Database) -> None:
    """Raise DatabaseError if the login is one that row-level security does not apply to."""
    with database.transaction(None, read_only=True) as connection:
        row = connection.execute(_BYPASSES).fetchone()
    if row is not None:
        raise DatabaseError(
            str(database.address),
            f"the role {row[0]!r} is exempt from row-level security, which keeps projects apart",
            "connect as a role without SUPERUSER and BYPASSRLS: CREATE ROLE recollect LOGIN; "
            "ALTER DATABASE ... OWNER TO recollect",
        )
