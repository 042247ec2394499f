"""Vectors of passages in pgvector. Fills the `VectorStore` port.

A project with few passages is searched exactly. One with many gets an HNSW index of its own, a partial one,
because an index over all projects visits the passages of others first, and finds fewer the more there are.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from psycopg.sql import SQL, Identifier, Literal

from recollect.retrieval.index import Filters, Index, Key
from recollect.retrieval.vectors import head, passages
from recollect.storage.models.embedder import CachingEmbedder, Embedder, Floats, embedded
from recollect.storage.postgres.database import Connection, ProjectDatabase
from recollect.storage.postgres.filters import filter_sql
from recollect.storage.postgres.text_values import restored

EXACT_UP_TO = 20_000  # passages: compared one by one in some 20 ms
_COMMIT_EVERY = 50  # documents per transaction, which is what a killed process loses
_FEEDBACK_FROM = 3  # documents
_PASSAGES_PER_DOCUMENT = 4  # read from HNSW for each document that is wanted
_EF_SEARCH = 100  # candidates of HNSW, at least
_DIGITS = 6  # of a cosine: single precision
_MISSING = """
FROM document WHERE document.project = %(project)s AND NOT EXISTS (
    SELECT 1 FROM passage WHERE passage.project = document.project AND passage.document = document.key
    AND passage.model = %(model)s
)
"""
_ADD = """
INSERT INTO passage (project, model, document, place, embedding)
SELECT %(project)s, %(model)s, %(document)s, %(place)s, %(embedding)s::vector
WHERE EXISTS (SELECT 1 FROM document WHERE project = %(project)s AND key = %(document)s)
ON CONFLICT DO NOTHING
"""


_BUILD_LOCK = 0x5EC0_11ED  # one index at a time: each takes half a gigabyte
_FINISHED = """
SELECT 1 FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid WHERE relname = %s AND indisvalid
"""
_UNFINISHED = """
SELECT 1 FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid WHERE relname = %s AND NOT indisvalid
"""


@dataclass(slots=True)
class PostgresVectors:
    """Vectors of the documents of one project, by one model."""

    project: ProjectDatabase
    embedder: Embedder
    exact_up_to: int = EXACT_UP_TO

    @property
    def model(self) -> str:
        return self.embedder.version

    def missing(self) -> int:
        """How many documents have no vectors of this model yet."""
        return int(self._one(f"SELECT count(*) {_MISSING}"))

    def embed(
        self,
        progress: Callable[[int, int], None] | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> int:
        """Embed documents without vectors until none is left, or until `stop`; returns how many."""
        done, total = 0, self.missing()
        while documents := self._waiting():
            vectors = embedded(self.embedder, documents, stop)
            self._record(vectors)
            done += len(vectors)
            if progress and vectors:
                progress(min(done, total), total)
            if len(vectors) < len(documents):
                break
        if done and self._one(_COUNT_PASSAGES) > self.exact_up_to:
            self.make_hnsw()
        return done

    def _waiting(self) -> list[tuple[int, str, str]]:
        """Key, title and body of the first documents that have no vectors."""
        sql = f"SELECT key, title, body {_MISSING} ORDER BY key LIMIT {_COMMIT_EVERY}"
        with self.project.reading() as connection:
            rows = connection.execute(sql, self._values).fetchall()
        return [(key, restored(title), restored(body)) for key, title, body in rows]

    def _record(self, vectors: Mapping[int, Sequence[Floats]]) -> None:
        rows = [
            {**self._values, "document": key, "place": place, "embedding": as_text(vector)}
            for key, passages in vectors.items()
            for place, vector in enumerate(passages)
        ]

        def add(connection: Connection) -> None:
            with connection.cursor() as cursor:
                cursor.executemany(_ADD, rows)

        self.project.write(add)

    @property
    def _values(self) -> dict[str, Any]:
        return {"project": self.project.key, "model": self.model}

    def _one(self, sql: str) -> Any:
        with self.project.reading() as connection:
            row = connection.execute(sql, self._values).fetchone()
        return row[0] if row else 0

    def forget(self, title: str, body: str) -> None:
        """Delete the cached vectors of a document's passages; its rows went with the document."""
        if isinstance(self.embedder, CachingEmbedder):
            self.embedder.forget(passages(head(title, body)))

    def make_hnsw(self) -> None:
        """Make the index of this project and model, unless there is one. Others read and write meanwhile."""
        name = Identifier(_index_name(self.project.key, self.model))
        width = self._one(
            "SELECT vector_dims(embedding) FROM passage WHERE project = %(project)s"
            " AND model = %(model)s LIMIT 1"
        )
        statement = SQL(
            "CREATE INDEX CONCURRENTLY IF NOT EXISTS {} ON passage"
            " USING hnsw ((embedding::vector({})) vector_cosine_ops)"
            " WITH (m = 16, ef_construction = 100) WHERE project = {} AND model = {}"
        ).format(
            name,
            Literal(width),
            Literal(self.project.key),
            Literal(self.model),
        )
        with self.project.database.outside_transaction() as connection:
            connection.execute("SELECT pg_advisory_lock(%s)", (_BUILD_LOCK,))
            if connection.execute(_UNFINISHED, (name.as_string(None).strip('"'),)).fetchone():
                connection.execute(SQL("DROP INDEX CONCURRENTLY {}").format(name))
            connection.execute("SET maintenance_work_mem = '512MB'")
            connection.execute(statement)

    def nearest(
        self, text: str, index: Index, filters: Filters, limit: int, *, feedback: float = 0.0
    ) -> Sequence[tuple[Key, float]]:
        query = self.embedder.query(text)
        with self.project.reading() as connection:
            if feedback and (best := self._best(connection, query, filters, _FEEDBACK_FROM)):
                query = self._moved_towards(
                    connection, query, [place for _, _, place in best], feedback
                )
            ranked = self._best(connection, query, filters, limit)
            facts = index.facts([key for key, _, _ in ranked])
        cosines = {key: cosine for key, cosine, _ in ranked if key in facts}
        order = sorted(cosines, key=lambda key: (-cosines[key], facts[key].priority, facts[key].id))
        return [(key, cosines[key]) for key in order[:limit]]

    def _best(
        self, connection: Connection, query: Floats, filters: Filters, limit: int
    ) -> list[tuple[Key, float, tuple[int, int]]]:
        """Documents by the cosine of their best passage: key, cosine, and that passage."""
        name = _index_name(self.project.key, self.model)
        is_indexed = connection.execute(_FINISHED, (name,)).fetchone() is not None
        read = self._approximate if is_indexed else self._exact
        rows = read(connection, query, filters, limit)
        best: dict[Key, tuple[float, tuple[int, int]]] = {}
        for key, place, distance in rows:
            cosine = round(1.0 - distance, _DIGITS)
            if key not in best or cosine > best[key][0]:
                best[Key(key)] = cosine, (key, place)
        return [(key, cosine, place) for key, (cosine, place) in best.items()]

    def _exact(
        self, connection: Connection, query: Floats, filters: Filters, limit: int
    ) -> Iterable[tuple[Key, int, float]]:
        where, values = filter_sql(filters)
        # With those that are as near as the last one, because ties are broken by priority and id.
        sql = f"""
            SELECT key, place, distance FROM (
                SELECT DISTINCT ON (key) key, place, embedding <=> %s::vector AS distance
                FROM passage JOIN document
                ON document.project = passage.project AND document.key = passage.document
                WHERE passage.project = %s AND passage.model = %s AND document.project = %s {where}
                ORDER BY key, embedding <=> %s::vector, place
            ) AS best ORDER BY round(distance::numeric, {_DIGITS}) FETCH FIRST %s ROWS WITH TIES
        """
        wanted, key = as_text(query), self.project.key
        return connection.execute(
            sql, (wanted, key, self.model, key, *values, wanted, limit)
        ).fetchall()

    def _approximate(
        self, connection: Connection, query: Floats, filters: Filters, limit: int
    ) -> Iterable[tuple[Key, int, float]]:
        """The same by HNSW. Literals, because a partial index is used for constants alone."""
        where, values = filter_sql(filters)
        connection.execute(
            "SELECT set_config('hnsw.ef_search', %s, true),"
            " set_config('hnsw.iterative_scan', 'relaxed_order', true)",
            (str(max(_EF_SEARCH, min(1000, limit * _PASSAGES_PER_DOCUMENT))),),
        )
        statement = _APPROXIMATE.format(
            width=Literal(len(query)),
            query=Literal(as_text(query)),
            project=Literal(self.project.key),
            model=Literal(self.model),
            where=SQL(where),
        )
        return connection.execute(statement, (*values, limit * _PASSAGES_PER_DOCUMENT)).fetchall()

    def _moved_towards(
        self, connection: Connection, query: Floats, places: Sequence[tuple[int, int]], by: float
    ) -> Floats:
        """The query moved towards these passages: pseudo-relevance feedback (Rocchio)."""
        sql = (
            "SELECT embedding::real[] FROM passage WHERE project = %s AND model = %s"
            " AND (document, place) IN (SELECT * FROM unnest(%s::bigint[], %s::int[]))"
        )
        keys, numbers = [key for key, _ in places], [place for _, place in places]
        rows = connection.execute(sql, (self.project.key, self.model, keys, numbers)).fetchall()
        best = np.asarray([row[0] for row in rows], dtype=np.float64)
        # Rounded, so that the order of the rows has no effect.
        moved = np.round(query + by * best.mean(axis=0), 6)
        return np.asarray(moved / np.linalg.norm(moved), dtype=np.float32)


_COUNT_PASSAGES = "SELECT count(*) FROM passage WHERE project = %(project)s AND model = %(model)s"
_APPROXIMATE = SQL(
    """
    SELECT document.key, passage.place,
        passage.embedding::vector({width}) <=> {query}::vector({width}) AS distance
    FROM passage JOIN document ON document.project = passage.project AND document.key = passage.document
    WHERE passage.project = {project} AND passage.model = {model} AND document.project = {project} {where}
    ORDER BY distance LIMIT %s
    """
)


def as_text(vector: Floats) -> str:
    """A vector as pgvector reads it."""
    return f"[{','.join(map(repr, vector.astype(float).tolist()))}]"


def _index_name(project: str, model: str) -> str:
    return f"passage_hnsw_{hashlib.sha256(json.dumps([project, model]).encode()).hexdigest()[:32]}"
