"""What changed in a project's memories since a moment: the feed of copies that are kept elsewhere.

Writers of a project wait for each other, so revisions are numbered in the order of their transactions.
"""

from dataclasses import dataclass

from recollect.storage.postgres.database import ProjectDatabase

_LAST = "SELECT coalesce(max(number), 0) FROM memory_revision WHERE project = %s"
_ALL = "SELECT path, data FROM memory WHERE project = %s"
_SINCE = """
SELECT changed.path, memory.data FROM (
    SELECT DISTINCT path FROM memory_revision WHERE project = %(project)s AND number > %(since)s
) AS changed
LEFT JOIN memory ON memory.project = %(project)s AND memory.path = changed.path
"""


@dataclass(frozen=True, slots=True)
class MemoryChanges:
    """Files by path; None for one that is gone. `number` is where the next look begins."""

    number: int
    files: dict[str, bytes | None]
    is_complete: bool  # every file there is: what is not named is gone


def changes_since(project: ProjectDatabase, number: int | None) -> MemoryChanges:
    """What changed after revision `number`; everything for None or a number from another database."""
    with project.reading() as connection:
        row = connection.execute(_LAST, (project.key,)).fetchone()
        last = int(row[0]) if row else 0
        if number == last:
            return MemoryChanges(last, {}, is_complete=False)
        is_complete = number is None or number > last
        values = {"project": project.key, "since": number}
        rows = (
            connection.execute(_ALL, (project.key,))
            if is_complete
            else connection.execute(_SINCE, values)
        ).fetchall()
    files = {path: None if data is None else bytes(data) for path, data in rows}
    return MemoryChanges(last, files, is_complete)
