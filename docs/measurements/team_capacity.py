"""What a team's database costs, measured on one, and what that means for many projects.

    .venv/bin/python docs/measurements/team_capacity.py postgresql://recollect@localhost/bench

Saves memories, runs and searches in one project, reads the sizes of tables from PostgreSQL, and multiplies.
The simulation at the end spreads projects of very different sizes over servers, and says how full the fullest
is.
Use a database that is not in use.
"""

import argparse
import json
import random
import statistics
import tempfile
import time
from pathlib import Path

import psycopg

from recollect.app.opening import init_project
from recollect.bench.team import TeamLoad, agents_of
from recollect.retrieval.request import Request

PROJECTS = (100, 10_000, 1_000_000)
MEMORIES, RUNS, SEARCHES = 200, 100, 100
# A project of a team in a year, by the sizes of the projects that we know: half have under 100 memories.
MEDIAN_MEMORIES, SPREAD = 100, 1.2  # of a log-normal distribution
EVENTS_PER_MEMORY = 50  # calls, traces and journal entries that are kept beside a memory
SEARCHES_PER_DAY = 200
SERVER_BYTES, SERVER_SEARCHES_PER_SECOND = 500e9, 500.0  # of an ordinary server with 16 cores


def measured(url: str) -> dict[str, float]:
    """Bytes and milliseconds of one memory, one event and one search, in a project of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder, env = Path(name), {"HOME": name, "PATH": "/usr/bin:/bin", "RECOLLECT_DATABASE": url}
        [agent] = agents_of(folder / "projects", TeamLoad(1, 1), env)
        before = _bytes(url)
        saves = [_timed(agent.save) for _ in range(MEMORIES)]
        after_memories = _bytes(url)
        runs = [_timed(agent.run) for _ in range(RUNS)]
        after_runs = _bytes(url)
        searches = [_timed(agent.search) for _ in range(SEARCHES)]
        (folder / "one").mkdir()
        empty, _ = init_project(folder / "one", env=env)
        start = time.perf_counter()
        empty.find(Request("nothing is there", session=""))
        first = time.perf_counter() - start
    return {
        "bytes_per_memory": (after_memories - before) / MEMORIES,
        "bytes_per_event": (after_runs - after_memories) / (RUNS * 5),
        "save_ms": statistics.median(saves),
        "event_ms": statistics.median(runs) / 5,
        "search_ms": statistics.median(searches),
        "search_p95_ms": statistics.quantiles(searches, n=20)[-1],
        "first_search_ms": first * 1_000,
    }


def _timed(work: object) -> float:
    start = time.perf_counter()
    work()  # type: ignore[operator]
    return (time.perf_counter() - start) * 1_000


def _bytes(url: str) -> int:
    """What all tables and indexes take, without the space that is free in them."""
    with psycopg.connect(url, autocommit=True) as connection:
        row = connection.execute(
            "SELECT sum(pg_total_relation_size(oid)) FROM pg_class "
            "WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace"
        ).fetchone()
    return int(row[0]) if row else 0


def simulated(costs: dict[str, float], projects: int, seed: int = 7) -> dict[str, float]:
    """Projects of different sizes on servers, by the directory: each goes where most space is free."""
    chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
    sample = [MEDIAN_MEMORIES * chance.lognormvariate(0, SPREAD) for _ in range(min(projects, 100_000))]
    each = costs["bytes_per_memory"] + EVENTS_PER_MEMORY * costs["bytes_per_event"]
    scale = projects / len(sample)
    bytes_total = sum(sample) * each * scale
    searches = projects * SEARCHES_PER_DAY / 86_400 * 5  # a working day is a fifth of one
    servers = max(1, -(-bytes_total // SERVER_BYTES), -(-searches // SERVER_SEARCHES_PER_SECOND))
    loads = [0.0] * int(servers)
    for memories in sorted(sample, reverse=True):
        place = min(range(len(loads)), key=loads.__getitem__)
        loads[place] += memories * each * scale
    return {
        "projects": projects,
        "terabytes": bytes_total / 1e12,
        "searches_per_second": searches,
        "servers": servers,
        "fullest_over_mean": max(loads) / (sum(loads) / len(loads)),
        "largest_project_gigabytes": max(sample) * each / 1e9,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("database")
    costs = measured(parser.parse_args().database)
    out = {"costs": costs, "projects": [simulated(costs, count) for count in PROJECTS]}
    print(json.dumps(out, indent=2))


if __name__ == "__main__":
    main()
