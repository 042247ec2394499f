"""Pages of documents out of the index, without reading the others. Fills the `Pages` port."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from recollect.retrieval.index import Document, Filters, Key
from recollect.retrieval.pages import CreatedCount, DocumentPage, TagCount
from recollect.storage.postgres.database import ProjectDatabase
from recollect.storage.postgres.filters import filter_sql
from recollect.storage.postgres.text_values import restored, storable

_ORDERS = {
    "priority": "priority, id",
    "changed": "coalesce(updated_at, created_at) DESC, id",
}
_TAGGED = (
    " AND EXISTS (SELECT 1 FROM tag WHERE tag.project = document.project AND tag.document = document.key"
    ' AND md5(lower(tag)) = md5(lower(%s COLLATE "C")) AND tag = %s)'
)


class _DocumentReader(Protocol):
    """The index that the pages are of."""

    project: ProjectDatabase

    def documents(self, keys: Sequence[Key]) -> Mapping[Key, Document]: ...


@dataclass(frozen=True, slots=True)
class PostgresPages:
    """Documents in an order, a page at a time."""

    index: _DocumentReader

    def page(
        self,
        filters: Filters,
        order: str,
        *,
        offset: int = 0,
        limit: int | None = None,
        priorities: range | None = None,
        tags: Sequence[str] = (),
    ) -> DocumentPage:
        where, values = filter_sql(filters)
        if priorities is not None:
            where += " AND priority >= %s AND priority < %s"
            values += [priorities.start, priorities.stop]
        for tag in tags:
            where += _TAGGED
            values += [storable(tag)] * 2
        project = self.index.project
        with project.reading() as connection:
            sql = (
                f"SELECT key FROM document WHERE project = %s {where}"
                f" ORDER BY {_ORDERS[order]} LIMIT %s OFFSET %s"
            )
            rows = connection.execute(sql, (project.key, *values, limit, offset)).fetchall()
            sql = f"SELECT count(*) FROM document WHERE project = %s {where}"
            (total,) = connection.execute(sql, (project.key, *values)).fetchone() or (0,)
            keys = [Key(row[0]) for row in rows]
            documents = self.index.documents(keys)
        return DocumentPage(tuple(documents[key] for key in keys), total)

    def created(self, filters: Filters) -> list[CreatedCount]:
        where, values = filter_sql(filters)
        sql = (
            "SELECT substr(created_at, 1, 10), category, count(*) FROM document"
            f" WHERE project = %s {where} GROUP BY 1, 2 ORDER BY 1, 2"
        )
        with self.index.project.reading() as connection:
            rows = connection.execute(sql, (self.index.project.key, *values)).fetchall()
        return [CreatedCount(*row) for row in rows]

    def tags(self, limit: int) -> list[TagCount]:
        sql = (
            "SELECT tag, count(*) FROM tag WHERE project = %s GROUP BY tag ORDER BY 2 DESC, 1 LIMIT %s"
        )
        with self.index.project.reading() as connection:
            rows = connection.execute(sql, (self.index.project.key, limit)).fetchall()
        return [TagCount(restored(tag), count) for tag, count in rows]

    def count_unreadable(self, _root: str) -> int:
        """How many files are not valid memories; a project has one root."""
        sql = "SELECT count(*) FROM index_file WHERE project = %s AND document IS NULL"
        with self.index.project.reading() as connection:
            row = connection.execute(sql, (self.index.project.key,)).fetchone()
        return int(row[0]) if row else 0
