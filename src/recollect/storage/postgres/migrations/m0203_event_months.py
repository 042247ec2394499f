"""Events of runs by month, as traces are: `partitions.py` makes the months, and drops those that are empty.

Rows from before go to the default partition.
"""

from recollect.storage.postgres.database import Connection
from recollect.storage.postgres.tenancy import isolate

_COLUMNS = "project, run, number, at, name, content"
# The number is unique by the row of its run, which an append moves on; a partition key must be in the key.
_TABLES = f"""
ALTER TABLE run_event NO FORCE ROW LEVEL SECURITY;  -- its owner copies the rows of every project
ALTER TABLE run_event RENAME TO run_event_before;
ALTER TABLE run_event_before RENAME CONSTRAINT run_event_pkey TO run_event_before_pkey;
CREATE TABLE run_event (
    project text NOT NULL REFERENCES project (project) ON DELETE CASCADE,
    run text COLLATE "C" NOT NULL,
    number bigint NOT NULL,                -- from 1, without gaps
    at text COLLATE "C" NOT NULL,
    name text NOT NULL,
    content text NOT NULL,                 -- JSON: its fields, and the paths that were redacted
    PRIMARY KEY (project, run, number, at),
    FOREIGN KEY (project, run) REFERENCES run (project, id) ON DELETE CASCADE
) PARTITION BY RANGE (at);
CREATE TABLE run_event_other PARTITION OF run_event DEFAULT;
INSERT INTO run_event ({_COLUMNS}) SELECT {_COLUMNS} FROM run_event_before;
DROP TABLE run_event_before;
"""


def apply(connection: Connection) -> None:
    connection.execute(_TABLES)
    isolate(connection, "run_event", "run_event_other")
