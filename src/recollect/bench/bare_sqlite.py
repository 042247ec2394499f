"""Baselines on bare SQLite, each timed in a separate process that loads no Recollect code."""

import json
import subprocess
from collections.abc import Sequence

from recollect.interpreter import python

_TIMED = """
import json, sqlite3, sys, time
given = json.load(sys.stdin)

def timed(work, inputs):
    times = []
    for value in inputs:
        start = time.perf_counter()
        work(value)
        times.append((time.perf_counter() - start) * 1000)
    return times

"""
_FULL_TEXT = """
db = sqlite3.connect(":memory:")
db.execute("CREATE VIRTUAL TABLE plain USING fts5(text, tokenize='porter unicode61')")
db.executemany("INSERT INTO plain VALUES (?)", [(text,) for text in given["texts"]])
sql = "SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY bm25(plain) LIMIT 10"

def search(query):
    match = " OR ".join(f'"{word}"' for word in query.split())
    db.execute(sql, (match,)).fetchall()

print(json.dumps(timed(search, given["queries"])[given["warm_up"]:]))
"""
_WALK = """
db = sqlite3.connect(":memory:")
db.execute("CREATE TABLE link (one TEXT, other TEXT)")
ends = given["ends"]
db.executemany("INSERT INTO link VALUES (?, ?)", [*ends, *([b, a] for a, b in ends)])
db.execute("CREATE INDEX link_one ON link (one, other)")

def walk(seeds):
    marks = ",".join("(?)" for _ in seeds)
    sql = (
        f"WITH RECURSIVE walk (id, hops) AS (SELECT column1, 0 FROM (VALUES {marks}) UNION "
        "SELECT other, hops + 1 FROM walk JOIN link ON one = id WHERE hops < 2) SELECT * FROM walk"
    )
    db.execute(sql, seeds).fetchall()

print(json.dumps(timed(walk, given["seeds"])[given["warm_up"]:]))
"""
_OPEN = """
def opened(_):
    sqlite3.connect(":memory:").execute("SELECT 1").fetchall()

print(json.dumps(timed(opened, range(given["rounds"]))))
"""


def full_text_queries(texts: Sequence[str], queries: Sequence[str], warm_up: int = 0) -> list[float]:
    """Milliseconds of each query against a plain FTS5 table of these texts, after the first `warm_up`."""
    return _run(_FULL_TEXT, {"texts": texts, "queries": queries, "warm_up": warm_up})


def walks(
    ends: Sequence[tuple[str, str]], seeds: Sequence[Sequence[str]], warm_up: int = 0
) -> list[float]:
    """Milliseconds of a walk of two hops from each set of seeds, after the first `warm_up`."""
    return _run(_WALK, {"ends": ends, "seeds": seeds, "warm_up": warm_up})


def opening(rounds: int) -> list[float]:
    """Milliseconds that opening an empty database takes, each time."""
    return _run(_OPEN, {"rounds": rounds})


def _run(script: str, values: dict[str, object]) -> list[float]:
    done = subprocess.run(
        python("-c", _TIMED + script),
        input=json.dumps(values),
        capture_output=True,
        text=True,
        check=True,
    )
    times: list[float] = json.loads(done.stdout)
    return times
