"""What is learned: traces, calls in their order, the tool graph, thresholds, capabilities and episodes.

Traces are partitioned by month, so that old ones go as a whole table; `partitions.py` makes the months. Rows
of a month that nobody prepared go to the default partition.
"""

from recollect.storage.postgres.database import Connection
from recollect.storage.postgres.tenancy import isolate

_PROJECT = "project text NOT NULL REFERENCES project (project) ON DELETE CASCADE"
_TABLES = {
    "trace_params": """
        digest text NOT NULL,
        content text NOT NULL,                 -- JSON: the parameters that scorings share
        PRIMARY KEY (project, digest)""",
    "tool_call": """
        number bigint NOT NULL,
        session text COLLATE "C" NOT NULL,
        tool text COLLATE "C" NOT NULL,
        PRIMARY KEY (project, number)""",
    "tool_edge": """
        source text COLLATE "C" NOT NULL,
        target text COLLATE "C" NOT NULL,
        type text COLLATE "C" NOT NULL,
        origin text COLLATE "C" NOT NULL,
        count bigint NOT NULL,
        seen_at text COLLATE "C" NOT NULL,
        PRIMARY KEY (project, source, target, type)""",
    "threshold": """
        kind text COLLATE "C" NOT NULL,
        content text NOT NULL,                 -- JSON
        PRIMARY KEY (project, kind)""",
    "capability": """
        name text COLLATE "C" NOT NULL,
        digest text NOT NULL,
        runs bigint NOT NULL,
        successes bigint NOT NULL,
        content text NOT NULL,                 -- JSON
        PRIMARY KEY (project, name),
        UNIQUE (project, digest)""",
    "episode": """
        number bigint NOT NULL,
        context text COLLATE "C" NOT NULL,
        at text COLLATE "C" NOT NULL,
        outcome text NOT NULL,
        content text NOT NULL,                 -- JSON
        PRIMARY KEY (project, number)""",
}
_TRACE = """
    number bigint NOT NULL,
    scoring text COLLATE "C" NOT NULL,
    at text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    context text NOT NULL,                     -- a digest of the request
    session text COLLATE "C" NOT NULL,
    candidate text COLLATE "C" NOT NULL,
    signals text NOT NULL,                     -- JSON
    params text NOT NULL,                      -- a digest
    score double precision NOT NULL,
    threshold double precision,
    decision text NOT NULL,
    milliseconds double precision NOT NULL,
    outcome text,
    PRIMARY KEY (project, number, at)
"""
_INDEXES = (
    "CREATE INDEX trace_scoring ON trace (project, scoring)",
    "CREATE INDEX tool_edge_seen ON tool_edge (project, seen_at DESC, source, target)",
    "CREATE INDEX episode_context ON episode (project, context, number DESC)",
)


def apply(connection: Connection) -> None:
    """Make the tables, each of them hidden from other projects."""
    for name, columns in _TABLES.items():
        connection.execute(f"CREATE TABLE {name} ({_PROJECT}, {columns})")
    connection.execute(f"CREATE TABLE trace ({_PROJECT}, {_TRACE}) PARTITION BY RANGE (at)")
    connection.execute("CREATE TABLE trace_other PARTITION OF trace DEFAULT")
    for index in _INDEXES:
        connection.execute(index)
    isolate(connection, *_TABLES, "trace", "trace_other")
