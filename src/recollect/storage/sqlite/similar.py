"""Which documents in the index a new memory may repeat, supersede or crowd out."""

from collections.abc import Iterable

from recollect.ids import UnifiedId
from recollect.records.duplicates import plain_title
from recollect.retrieval.index import Filters
from recollect.storage.sqlite.index import SqliteIndex
from recollect.storage.sqlite.schema import storable
from recollect.text.stemming import stems
from recollect.text.tokens import tokens

# A near-duplicate shares more than half of its words and pairs of words. Of the rarest stems of a text it
# has several then, which puts it at the top of a ranking by them. The rarest are also the fastest to rank.
_RAREST = 24
_MOST = 50  # documents that are compared in full
_MOST_SAME_TITLE = 200


class SimilarDocuments:
    """Questions of a write to an open index. Not for two threads at once."""

    def __init__(self, index: SqliteIndex) -> None:
        self._index = index

    def similar(self, title: str, body: str, category: str) -> set[UnifiedId]:
        """Documents of a category with the same title, or whose text may be nearly the same."""
        sql = "SELECT id FROM document WHERE plain_title = ? AND category = ? LIMIT ?"
        plain = storable(plain_title(title))
        rows = self._index.connection.execute(sql, (plain, category, _MOST_SAME_TITLE))
        same_title = {UnifiedId(row[0]) for row in rows}
        filters = Filters(categories=frozenset({category}), statuses=frozenset())
        hits = self._index.by_words(self._rarest(f"{title}\n{body}"), filters, _MOST)
        facts = self._index.facts([key for key, _ in hits])
        return same_title.union(fact.id for fact in facts.values())

    def _rarest(self, text: str) -> list[tuple[str, int]]:
        words = list(dict.fromkeys(stems(tokens(text))))
        frequencies = self._index.frequencies(words)
        return [(stem, 1) for stem in sorted(frequencies, key=lambda stem: (frequencies[stem], stem))][
            :_RAREST
        ]

    def active(self, category: str) -> Iterable[UnifiedId]:
        """The active documents of a category."""
        sql = "SELECT id FROM document WHERE status = 'active' AND category = ?"
        return [UnifiedId(row[0]) for row in self._index.connection.execute(sql, (category,))]

    def superseding(self, id: UnifiedId) -> Iterable[UnifiedId]:
        """The documents that hold a link which supersedes this one."""
        sql = "SELECT source FROM edge WHERE type = 'supersedes' AND target = ?"
        return [UnifiedId(row[0]) for row in self._index.connection.execute(sql, (id,))]
