"""Which documents in the index a new memory may repeat, supersede or crowd out."""

from collections.abc import Iterable

from recollect.ids import UnifiedId
from recollect.records.duplicates import plain_title
from recollect.retrieval.index import Filters
from recollect.storage.postgres.document_words import words_of
from recollect.storage.postgres.index import PostgresIndex
from recollect.storage.postgres.text_values import storable

# As in the embedded index, whose module gives the reasons.
_RAREST = 24
_MOST = 50
_MOST_SAME_TITLE = 200


class PostgresSimilar:
    """Questions of a write to the index of one project."""

    def __init__(self, index: PostgresIndex) -> None:
        self._index = index

    def similar(self, title: str, body: str, category: str) -> set[UnifiedId]:
        """Documents of a category with the same title, or whose text may be nearly the same."""
        sql = (
            "SELECT id FROM document WHERE project = %s AND md5(plain_title) = md5(%s)"
            " AND plain_title = %s AND category = %s LIMIT %s"
        )
        plain = storable(plain_title(title))
        filters = Filters(categories=frozenset({category}), statuses=frozenset())
        with self._index.snapshot():
            same_title = set(self._ids(sql, plain, plain, category, _MOST_SAME_TITLE))
            hits = self._index.by_words(self._rarest(f"{title}\n{body}"), filters, _MOST)
            facts = self._index.facts([key for key, _ in hits])
        return same_title.union(fact.id for fact in facts.values())

    def _rarest(self, text: str) -> list[tuple[str, int]]:
        frequencies = self._index.frequencies(list(dict.fromkeys(words_of(text))))
        rarest = sorted(frequencies, key=lambda stem: (frequencies[stem], stem))
        return [(stem, 1) for stem in rarest[:_RAREST]]

    def active(self, category: str) -> Iterable[UnifiedId]:
        """The active documents of a category."""
        sql = "SELECT id FROM document WHERE project = %s AND status = 'active' AND category = %s"
        return self._ids(sql, category)

    def superseding(self, id: UnifiedId) -> Iterable[UnifiedId]:
        """The documents that hold a link which supersedes this one."""
        sql = "SELECT source FROM edge WHERE project = %s AND type = 'supersedes' AND target = %s"
        return self._ids(sql, storable(id))

    def _ids(self, sql: str, *values: object) -> list[UnifiedId]:
        project = self._index.project
        with project.reading() as connection:
            rows = connection.execute(sql, (project.key, *values)).fetchall()
        return [UnifiedId(row[0]) for row in rows]
