"""Pages of documents out of the index, without reading the others."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from recollect.retrieval.index import Document, Filters, Key
from recollect.retrieval.pages import CreatedCount, DocumentPage, TagCount
from recollect.storage.sqlite.index import SqliteIndex, filter_sql
from recollect.storage.sqlite.schema import storable

_CHUNK = 500  # documents that are read at once
_ORDERS = {
    "priority": "priority, id",
    "changed": "coalesce(updated_at, created_at) DESC, id",
}


@dataclass(frozen=True, slots=True)
class DocumentPages:
    """Documents in an order, a page at a time. Not for two threads at once."""

    index: SqliteIndex

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
        """The documents that pass, by `priority` or the last `changed` first.

        `priorities` limits them to one root; `tags` are compared exactly.
        """
        where, values = filter_sql(filters)
        if priorities is not None:
            where += " AND priority >= ? AND priority < ?"
            values += [priorities.start, priorities.stop]
        for tag in tags:
            where += " AND key IN (SELECT document FROM tag WHERE tag = ?)"
            values.append(storable(tag))
        with self.index.snapshot():
            keys = self._keys(where, values, _ORDERS[order], offset, limit)
            total = f"SELECT count(*) FROM document WHERE 1 {where}"
            count = self.index.connection.execute(total, values).fetchone()[0]
            return DocumentPage(tuple(self._documents(keys)), count)

    def _keys(
        self, where: str, values: list[Any], order: str, offset: int, limit: int | None
    ) -> list[Key]:
        sql = f"SELECT key FROM document WHERE 1 {where} ORDER BY {order} LIMIT ? OFFSET ?"
        rows = self.index.connection.execute(sql, (*values, -1 if limit is None else limit, offset))
        return [Key(row[0]) for row in rows]

    def _documents(self, keys: Sequence[Key]) -> Iterator[Document]:
        for start in range(0, len(keys), _CHUNK):
            some = keys[start : start + _CHUNK]
            documents = self.index.documents(some)
            yield from (documents[key] for key in some)

    def created(self, filters: Filters) -> list[CreatedCount]:
        """How many documents that pass were made on each day, by category; the oldest day first."""
        where, values = filter_sql(filters)
        sql = (
            "SELECT substr(created_at, 1, 10), category, count(*) FROM document"
            f" WHERE 1 {where} GROUP BY 1, 2 ORDER BY 1, 2"
        )
        return [CreatedCount(*row) for row in self.index.connection.execute(sql, values)]

    def tags(self, limit: int) -> list[TagCount]:
        """The tags that most documents have; ties by name."""
        sql = "SELECT tag, count(*) FROM tag GROUP BY tag ORDER BY 2 DESC, 1 LIMIT ?"
        return [TagCount(*row) for row in self.index.connection.execute(sql, (limit,))]

    def count_unreadable(self, root: str) -> int:
        """How many files of a root are not valid memories."""
        sql = "SELECT count(*) FROM file WHERE path > ? AND path < ? AND document IS NULL"
        ends = (f"{storable(root)}/", f"{storable(root)}0")  # 0 follows / in ASCII
        return int(self.index.connection.execute(sql, ends).fetchone()[0])
