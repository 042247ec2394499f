"""Earlier versions of memories in PostgreSQL: adapter of `RevisionLog`."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.records.revisions import Revision, RevisionTexts
from recollect.storage.postgres.database import ProjectDatabase

_LAST = """
SELECT number, at, author, data IS NULL, lag(data IS NULL, 1, true) OVER (ORDER BY number)
FROM memory_revision WHERE project = %s AND path = %s ORDER BY number DESC LIMIT %s
"""
_TEXTS = """
SELECT data FROM memory_revision WHERE project = %s AND path = %s AND number <= %s
ORDER BY number DESC LIMIT 2
"""
_IS_KNOWN = "SELECT 1 FROM memory_revision WHERE project = %s AND path = %s AND number = %s"


@dataclass(frozen=True, slots=True)
class PostgresRevisions:
    """Every version that was stored, by the path of the memory below its project."""

    project: ProjectDatabase

    def revisions(self, file: str, limit: int) -> Sequence[Revision]:
        """The last changes of a memory, the newest first."""
        with self.project.reading() as connection:
            rows = connection.execute(_LAST, (self.project.key, file, limit)).fetchall()
        return [
            Revision(str(number), at.isoformat(), author, _summary(is_gone, was_gone))
            for number, at, author, is_gone, was_gone in rows
        ]

    def texts(self, file: str, revision: str) -> RevisionTexts | None:
        """A memory before and after a change; None when there is no such change of it."""
        if not revision.isascii() or not revision.isdigit() or len(revision) > 18:
            return None
        values = (self.project.key, file, int(revision))
        with self.project.reading() as connection:
            if connection.execute(_IS_KNOWN, values).fetchone() is None:
                return None
            versions = [row[0] for row in connection.execute(_TEXTS, values)]
        after, before = (*versions, None)[:2]
        return RevisionTexts(_text(before), _text(after))

    def version(self, file: str, digest: str) -> bytes | None:
        """The bytes of a version of a memory, named by its digest; None for an unknown one."""
        sql = (
            "SELECT data FROM memory_revision WHERE project = %s AND path = %s"
            " AND encode(sha256(data), 'hex') = %s LIMIT 1"
        )
        with self.project.reading() as connection:
            row = connection.execute(sql, (self.project.key, file, digest)).fetchone()
        return bytes(row[0]) if row else None

    def erase(self, file: str) -> None:
        """Delete the text of every version of a deleted memory; that it was deleted stays known."""
        sql = "DELETE FROM memory_revision WHERE project = %s AND path = %s AND data IS NOT NULL"
        with self.project.writing() as connection:
            connection.execute(sql, (self.project.key, file))


def _summary(is_gone: bool, was_gone: bool) -> str:
    return "deleted" if is_gone else "created" if was_gone else "changed"


def _text(data: bytes | None) -> str:
    return "" if data is None else bytes(data).decode("utf-8", "replace")
