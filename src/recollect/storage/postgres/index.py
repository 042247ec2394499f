"""The reading side of the index. Fills the `Index` port over tables of documents and postings.

Scores are those of the embedded index (SQLite's FTS5): BM25 with the same constants and column weights.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from math import log
from typing import Any

from psycopg.rows import dict_row

from recollect.graph.graph_map import MapNode
from recollect.ids import UnifiedId
from recollect.retrieval.files import agreement, base_name
from recollect.retrieval.index import Document, Fact, Filters, Key
from recollect.storage.postgres.database import ProjectDatabase
from recollect.storage.postgres.document_words import COLUMN
from recollect.storage.postgres.edges import PostgresEdges
from recollect.storage.postgres.filters import IN_FORCE, SUPERSEDING, filter_sql, in_force_values
from recollect.storage.postgres.map_nodes import map_nodes
from recollect.storage.postgres.pages import PostgresPages
from recollect.storage.postgres.text_values import restored, storable

WEIGHTS = (5.0, 3.0, 1.0, 0.5)  # title, tags, body, neighbours of the same thread
_K1, _B = 1.2, 0.75  # FTS5's
_LEAST_IDF = 1e-6  # FTS5's, for a word that most documents have
_DIGITS = 9  # of a score: the order in which terms are added up must not order equal documents
_WEIGHTED = (
    "({} * posting.title + {} * posting.tags + {} * posting.body + {} * posting.context)".format(
        *WEIGHTS
    )
)
_BY_WORDS = f"""
WITH state AS (SELECT documents, tokens FROM index_state WHERE project = %(project)s),
wanted AS (
    SELECT term.term, wanted_terms.times * greatest(
        ln((state.documents - term.documents + 0.5) / (term.documents + 0.5)), {_LEAST_IDF}
    ) AS idf, state.tokens::float8 / state.documents AS average
    FROM unnest(%(terms)s::text[], %(times)s::int[]) AS wanted_terms (term, times)
    JOIN term ON term.project = %(project)s AND term.term = wanted_terms.term CROSS JOIN state
)
SELECT posting.document, round(sum(
    wanted.idf * {_WEIGHTED} * {_K1 + 1}
    / ({_WEIGHTED} + {_K1} * ({1 - _B} + {_B} * posting.length / wanted.average))
)::numeric, {_DIGITS})::float8 AS score
FROM wanted JOIN posting ON posting.project = %(project)s AND posting.term = wanted.term
GROUP BY posting.document ORDER BY score DESC LIMIT %(take)s
"""
_BY_PAIRS = f"""
WITH wanted AS (
    SELECT * FROM unnest(%(firsts)s::text[], %(seconds)s::text[])
    WITH ORDINALITY AS pair (first, second, number)
)
SELECT wanted.number, former.document, former.length, (
    SELECT sum(CASE place / {COLUMN} {" ".join(f"WHEN {n} THEN {w}" for n, w in enumerate(WEIGHTS))} END)
    FROM unnest(former.positions) AS place JOIN unnest(latter.positions) AS next ON next = place + 1
) AS weighted
FROM wanted
JOIN posting AS former ON former.project = %(project)s AND former.term = wanted.first
JOIN posting AS latter ON latter.project = %(project)s AND latter.term = wanted.second
AND latter.document = former.document
"""


class PostgresIndex:
    """Queries over the index of one project. Threads may share it.

    `shown` is put before the paths of documents: where this machine has a copy of them.
    """

    def __init__(self, project: ProjectDatabase, shown: str = "") -> None:
        self.project, self._shown = project, shown

    def snapshot(self) -> AbstractContextManager[Any]:
        """Read the index as it is at one moment, whatever others write."""
        return self.project.reading()

    def version(self) -> object:
        return self._state()[0]

    def edges(self) -> PostgresEdges:
        """The links between the documents."""
        return PostgresEdges(self.project)

    def count_without_vectors(self, model: str) -> int:
        """How many documents have no vectors of a model."""
        sql = (
            "SELECT count(*) FROM document WHERE document.project = %s AND NOT EXISTS ("
            "SELECT 1 FROM passage WHERE passage.project = document.project"
            " AND passage.document = document.key AND passage.model = %s)"
        )
        return int(self._rows(sql, model)[0][0])

    def pages(self) -> PostgresPages:
        """The documents in an order, a page at a time."""
        return PostgresPages(self)

    def map_nodes(self) -> list[MapNode]:
        """Every memory as a node of a map."""
        return map_nodes(self.project)

    @property
    def size(self) -> int:
        return self._state()[1]

    def _state(self) -> tuple[int, int, int]:
        """Version, documents and tokens."""
        sql = "SELECT version, documents, tokens FROM index_state WHERE project = %s"
        with self.project.reading() as connection:
            row = connection.execute(sql, (self.project.key,)).fetchone()
        return (row[0], row[1], row[2]) if row else (0, 0, 0)

    def _rows(self, sql: str, *values: Any) -> list[Any]:
        """The rows of a statement whose first value is the project."""
        with self.project.reading() as connection:
            return connection.execute(sql, (self.project.key, *values)).fetchall()

    def stemmed(self, key: Key) -> tuple[Sequence[str], Sequence[str]]:
        sql = (
            "SELECT title || ' ' || tags, body FROM document_text WHERE project = %s AND document = %s"
        )
        ((head, body),) = self._rows(sql, key)
        return restored(head).split(), restored(body).split()

    def frequencies(self, stems: Sequence[str]) -> Mapping[str, int]:
        sql = "SELECT term, documents FROM term WHERE project = %s AND term = ANY (%s)"
        rows = self._rows(sql, [storable(stem) for stem in stems])
        return {restored(term): count for term, count in rows}

    def longer(self, stem: str, most: int) -> Sequence[str]:
        wanted = storable(stem)
        if len(stem) == 1 and not stem.isascii():
            sql = (
                "SELECT term FROM term WHERE project = %s AND strpos(term, %s) > 0 AND term <> %s"
                " ORDER BY documents DESC, term LIMIT %s"
            )
            rows = self._rows(sql, wanted, wanted, most)
        else:
            sql = (
                "SELECT term FROM term WHERE project = %s AND term >= %s AND term < %s"
                " ORDER BY documents DESC, term LIMIT %s"
            )
            rows = self._rows(sql, wanted, f"{wanted}\U0010ffff", most)
        return [restored(row[0]) for row in rows]

    def by_words(
        self, terms: Sequence[tuple[str, int]], filters: Filters, limit: int
    ) -> Sequence[tuple[Key, float]]:
        wanted_terms = [(storable(stem), times) for stem, times in terms if times > 0]
        if not wanted_terms:
            return []
        values = {
            "project": self.project.key,
            "terms": [stem for stem, _ in wanted_terms],
            "times": [times for _, times in wanted_terms],
        }
        take = limit + limit // 4  # most filters leave out few
        with self.project.reading() as connection:
            while True:  # ranking first, filters on its top: a join of every match costs twice as much
                scores = dict(connection.execute(_BY_WORDS, {**values, "take": take}).fetchall())
                admitted = self._admitted(list(scores), filters)
                ranked = sorted(admitted, key=lambda key: -scores[key])  # stable: priority, then id
                is_complete = len(scores) < take
                # If equal scores were cut off, those that are missing would depend on the order of writing.
                if is_complete or (
                    len(ranked) >= limit and scores[ranked[limit - 1]] > min(scores.values())
                ):
                    return [(Key(key), float(scores[key])) for key in ranked[:limit]]
                take *= 4

    def by_pairs(self, pairs: Sequence[tuple[str, str]]) -> Mapping[Key, float]:
        scores: dict[Key, float] = {}
        values = {
            "project": self.project.key,
            "firsts": [storable(first) for first, _ in pairs],
            "seconds": [storable(second) for _, second in pairs],
        }
        with self.project.reading() as connection:
            _, documents, tokens = self._state()
            rows = connection.execute(_BY_PAIRS, values).fetchall() if pairs else []
        adjacent = [row for row in rows if row[3] is not None]
        having = Counter(number for number, *_ in adjacent)
        for number, key, length, count in sorted(adjacent):
            weighted = float(count)
            scores[Key(key)] = scores.get(Key(key), 0.0) + _idf(
                documents, having[number]
            ) * weighted * (_K1 + 1) / (weighted + _K1 * (1 - _B + _B * length * documents / tokens))
        return {key: round(score, _DIGITS) for key, score in scores.items()}

    def _admitted(self, keys: Sequence[int], filters: Filters) -> list[int]:
        """The keys that pass the filters, by priority and id."""
        where, values = filter_sql(filters)
        sql = f"SELECT key FROM document WHERE project = %s AND key = ANY (%s) {where} ORDER BY priority, id"
        return [row[0] for row in self._rows(sql, list(keys), *values)]

    def by_files(
        self, names: Sequence[str], filters: Filters, limit: int
    ) -> Sequence[tuple[Key, float]]:
        scores: dict[int, float] = {}
        for name in dict.fromkeys(names):
            for key, sure in self._about(storable(name)).items():
                scores[key] = scores.get(key, 0.0) + sure
        if not scores:
            return []
        ranked = sorted(self._admitted(list(scores), filters), key=lambda key: -scores[key])
        return [(Key(key), scores[key]) for key in ranked[:limit]]

    def _about(self, name: str) -> dict[int, float]:
        """Documents about a file, with a confidence: by its name, or by one of the few patterns.

        A path such as `app/[id]/page.tsx` looks like a pattern but is not.
        """
        sql = (
            "SELECT document, path, name = '*' AND path <> %s FROM named_file WHERE project = %s"
            " AND (md5(name) = md5(%s) OR (md5(name) = md5('*') AND (path = %s OR %s ~ pattern)))"
        )
        values = (name, self.project.key, base_name(name), name, name)
        confidences: dict[int, float] = {}
        with self.project.reading() as connection:
            rows = connection.execute(sql, values).fetchall()
        for key, path, by_pattern in sorted(rows, key=lambda row: bool(row[2])):
            if by_pattern:
                confidences.setdefault(key, 1.0)
            elif sure := agreement(name, path):
                confidences[key] = max(confidences.get(key, 0.0), sure)
        return confidences

    def by_age(self, keys: Sequence[Key]) -> Sequence[Key]:
        sql = (
            "SELECT key FROM document WHERE project = %s AND key = ANY (%s)"
            " ORDER BY created_at DESC, id DESC, priority"
        )
        return [Key(row[0]) for row in self._rows(sql, list(keys))]

    def excluded(self, filters: Filters) -> Sequence[Key]:
        where, values = filter_sql(filters)
        sql = f"SELECT key FROM document WHERE project = %s AND NOT (true {where})"
        return [Key(row[0]) for row in self._rows(sql, *values)]

    def titles(self, filters: Filters) -> Sequence[tuple[Key, str, Sequence[str]]]:
        where, values = filter_sql(filters)
        sql = f"SELECT key, title, tags FROM document WHERE project = %s {where} ORDER BY priority, id"
        return [
            (Key(key), restored(title), [restored(tag) for tag in tags])
            for key, title, tags in self._rows(sql, *values)
        ]

    def by_ids(self, ids: Sequence[UnifiedId], filters: Filters) -> dict[UnifiedId, Document]:
        """The documents of these ids that pass, in the order of the ids."""
        keys = self.keys(ids, filters)
        documents = self.documents(list(keys.values()))
        return {id: documents[keys[id]] for id in ids if id in keys}

    def keys(self, ids: Sequence[UnifiedId], filters: Filters) -> Mapping[UnifiedId, Key]:
        where, values = filter_sql(filters)
        sql = (
            f"SELECT key, id FROM document WHERE project = %s AND id = ANY (%s) {where}"
            " ORDER BY priority, id"
        )
        first_keys: dict[UnifiedId, Key] = {}
        for key, id in self._rows(sql, [storable(id) for id in ids], *values):
            first_keys.setdefault(UnifiedId(id), Key(key))
        return first_keys

    def newest(self, category: str, now: str) -> Document | None:
        """The document of a category that was changed last, of those in force now."""
        sql = (
            "SELECT key FROM document WHERE project = %s AND category = %s AND status = 'active'"
            f" AND {IN_FORCE} ORDER BY coalesce(updated_at, created_at) DESC, id, priority LIMIT 1"
        )
        keys = [Key(row[0]) for row in self._rows(sql, category, *in_force_values(now))]
        return self.documents(keys)[keys[0]] if keys else None

    def anchored(self, now: str, limit: int) -> Sequence[Document]:
        """Documents with anchors that are in force now, by priority and id."""
        sql = (
            "SELECT key FROM document WHERE project = %s AND anchors <> '' AND status = 'active'"
            f" AND {IN_FORCE} ORDER BY priority, id LIMIT %s"
        )
        keys = [Key(row[0]) for row in self._rows(sql, *in_force_values(now), limit)]
        documents = self.documents(keys)
        return [documents[key] for key in keys]

    def in_force(self, keys: Sequence[Key], now: str) -> frozenset[Key]:
        return frozenset(Key(key) for key in self._admitted(keys, Filters(in_force_at=now)))

    def successors(self, ids: Sequence[UnifiedId]) -> dict[UnifiedId, tuple[tuple[str, str], ...]]:
        """The memories that supersede each of these, and when they start being valid."""
        sql = (
            "SELECT edge.target, newer.id, coalesce(newer.valid_from, newer.created_at)"
            f" FROM {SUPERSEDING} AND edge.project = %s AND edge.target = ANY (%s) ORDER BY newer.id"
        )
        result: dict[UnifiedId, tuple[tuple[str, str], ...]] = {}
        for older, newer, start in self._rows(sql, list(ids)):
            result[UnifiedId(older)] = (*result.get(UnifiedId(older), ()), (newer, start))
        return result

    def facts(self, keys: Sequence[Key]) -> Mapping[Key, Fact]:
        sql = "SELECT key, id, category, priority FROM document WHERE project = %s AND key = ANY (%s)"
        return {
            Key(key): Fact(UnifiedId(id), category, priority)
            for key, id, category, priority in self._rows(sql, list(keys))
        }

    def documents(self, keys: Sequence[Key]) -> Mapping[Key, Document]:
        sql = "SELECT * FROM document WHERE project = %s AND key = ANY (%s)"
        with self.project.reading() as connection:
            cursor = connection.cursor(row_factory=dict_row)
            rows = cursor.execute(sql, (self.project.key, list(keys))).fetchall()
            successors = self.successors([row["id"] for row in rows])
        return {
            Key(row["key"]): _document(row, self._shown, successors.get(row["id"], ())) for row in rows
        }


def _idf(documents: int, having: int) -> float:
    return max(log((documents - having + 0.5) / (having + 0.5)), _LEAST_IDF)


def _document(row: Mapping[str, Any], shown: str, successors: tuple[tuple[str, str], ...]) -> Document:
    return Document(
        id=UnifiedId(row["id"]),
        title=restored(row["title"]),
        tags=tuple(map(restored, row["tags"])),
        body=restored(row["body"]),
        created_at=row["created_at"],
        category=row["category"],
        priority=row["priority"],
        status=row["status"],
        path=f"{shown}{restored(row['path'])}",
        updated_at=row["updated_at"],
        valid_from=row["valid_from"],
        valid_to=row["valid_to"],
        gone_at=row["gone_at"],
        ended_as=restored(row["ended_as"]),
        ended_at=row["ended_at"],
        files=tuple(map(restored, row["files"])),
        thread=restored(row["thread"]),
        source=restored(row["source"]),
        anchors=restored(row["anchors"]),
        successors=successors,
    )
