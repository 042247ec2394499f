"""Recall and latency of a project's HNSW index: `python docs/measurements/team_vectors.py URL [COUNT]`.

The vectors are made up: unit vectors of 384 numbers around a thousand centres, as texts of a thousand topics
have them. The truth is what comparing every vector finds. How many blocks of the index a query reads does not
depend on what else the machine does; counts below 100,000 show how that grows.
"""

import sys
import time
import uuid

import numpy as np
from psycopg.sql import SQL, Literal

from recollect.retrieval.index import Filters
from recollect.storage.postgres.database import ProjectDatabase
from recollect.storage.postgres.index import PostgresIndex
from recollect.storage.postgres.projects import open_project_database, remove_project
from recollect.storage.postgres.vectors import PostgresVectors, as_text

WIDTH, TOPICS, SPREAD, QUERIES, AT = 384, 1000, 0.7, 200, 10
DOCUMENTS = """
INSERT INTO document (project, key, id, path, title, tags, body, category, priority, status, created_at,
ended_as, files, thread, source, anchors, plain_title)
SELECT %s, key, 'mem:d' || key, '', '', '{}', '', 'decision', 1, 'active', '2026', '', '{}', '', '', '', ''
FROM generate_series(1, %s) AS key
"""
PASSAGES = """
INSERT INTO passage (project, model, document, place, embedding)
SELECT %s, 'made-up', key, 0, embedding::vector FROM unnest(%s::bigint[], %s::text[]) AS made (key, embedding)
"""


EXPLAINED = """
EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT document FROM passage
WHERE project = {project} AND model = 'made-up' ORDER BY embedding::vector(384) <=> {query} LIMIT 10
"""
SIZE = """
SELECT sum(pg_relation_size(indexrelid)) FROM pg_stat_user_indexes WHERE indexrelname LIKE 'passage_hnsw%'
"""


class MadeUp:
    """An embedder whose texts are the numbers of queries."""

    version = "made-up"

    def __init__(self, queries: np.ndarray) -> None:
        self._queries = queries

    def query(self, text: str) -> np.ndarray:
        return self._queries[int(text)]


def unit(rows: np.ndarray) -> np.ndarray:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def main(url: str, count: int) -> None:
    """Fill a project, index it, ask it, and delete it."""
    random = np.random.default_rng(1)
    centres = unit(random.standard_normal((TOPICS, WIDTH)))
    noise = SPREAD / np.sqrt(WIDTH)

    def near_topics(number: int) -> np.ndarray:
        chosen = centres[random.integers(TOPICS, size=number)]
        return unit(chosen + noise * random.standard_normal((number, WIDTH)))

    vectors, queries = near_topics(count), near_topics(QUERIES)
    rows, _ = open_project_database(url, f"bench-{uuid.uuid4().hex}", "a bench")
    try:
        started = time.perf_counter()
        with rows.writing() as connection:
            connection.execute("SET LOCAL statement_timeout = 0")
            connection.execute(DOCUMENTS, (rows.key, count))
        for start in range(0, count, 2000):
            some = [as_text(vector) for vector in vectors[start : start + 2000]]
            with rows.writing() as connection:
                keys = list(range(start + 1, start + 1 + len(some)))
                connection.execute(PASSAGES, (rows.key, keys, some))
        print(f"{count:,} vectors stored in {time.perf_counter() - started:.0f} s", flush=True)
        store = PostgresVectors(rows, MadeUp(queries), exact_up_to=0)
        started = time.perf_counter()
        store.make_hnsw()
        rows.database.analyze()
        print(f"HNSW made in {time.perf_counter() - started:.0f} s", flush=True)
        index, took, recalled = PostgresIndex(rows), [], 0
        for number in range(QUERIES):
            started = time.perf_counter()
            hits = store.nearest(str(number), index, Filters(), AT)
            took.append((time.perf_counter() - started) * 1000)
            true = set(np.argsort(-(vectors @ queries[number]))[:AT] + 1)
            recalled += len(true & {key for key, _ in hits})
        p50, p95 = np.percentile(took, [50, 95])
        size, blocks = index_figures(rows, queries)
        print(f"index of {size / 1e6:.0f} MB, {blocks:.0f} of its blocks are read by a query")
        print(f"recall@{AT} {recalled / QUERIES / AT:.3f}, p50 {p50:.1f} ms, p95 {p95:.1f} ms")
    finally:
        remove_project(rows)


def index_figures(rows: ProjectDatabase, queries: np.ndarray) -> tuple[int, float]:
    """The size of the index in bytes, and how many blocks a query reads."""
    blocks = []
    with rows.writing() as connection:
        connection.execute("SET LOCAL hnsw.ef_search = 100")
        connection.execute("SET LOCAL enable_seqscan = off")
        for query in queries[:50]:
            values = {"project": Literal(rows.key), "query": Literal(as_text(query))}
            [(plans,)] = connection.execute(SQL(EXPLAINED).format(**values)).fetchall()
            plan = plans[0]["Plan"]
            while plan["Node Type"] != "Index Scan":
                plan = plan["Plans"][0]
            blocks.append(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])
        [(size,)] = connection.execute(SIZE).fetchall()
    return int(size), float(np.mean(blocks))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100_000)
