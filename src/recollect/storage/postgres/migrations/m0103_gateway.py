"""What the gateway knows of each member's servers. Catalogue, pins, policy and receipts are personal."""

from recollect.storage.postgres.database import Connection
from recollect.storage.postgres.tenancy import isolate

_OWNER = (
    "project text NOT NULL REFERENCES project (project) ON DELETE CASCADE,"
    ' member text COLLATE "C" NOT NULL'
)
_TOOL = 'server text COLLATE "C" NOT NULL, tool text COLLATE "C" NOT NULL'
_COUNTS = ("ok", "tool_error", "bad_arguments", "server_failure")
_TOKENS = (
    "argument_tokens",
    "result_tokens",
    "reply_tokens",
    "read_tokens",
    "projection_saved_tokens",
)
_SUMS = ", ".join(f"{name} bigint NOT NULL" for name in (*_COUNTS, *_TOKENS))
_DAY = 'day text COLLATE "C" NOT NULL'
_TABLES = {
    # Grows with every change of the catalogue, pins, policy and projections.
    "gateway_change": "number bigint NOT NULL, PRIMARY KEY (project, member)",
    "server": """
        name text COLLATE "C" NOT NULL,
        listed_at text NOT NULL,
        PRIMARY KEY (project, member, name)""",
    "server_entry": """
        server text COLLATE "C" NOT NULL,
        kind text COLLATE "C" NOT NULL,        -- tool, resource, template or prompt
        key_digest text NOT NULL,              -- an address may be too long for an index
        key text COLLATE "C" NOT NULL,
        digest text NOT NULL,
        content text NOT NULL,                 -- JSON
        PRIMARY KEY (project, member, kind, server, key_digest),
        FOREIGN KEY (project, member, server) REFERENCES server (project, member, name)
            ON DELETE CASCADE""",
    "pin": f"""
        {_TOOL},
        content text NOT NULL,                 -- JSON
        accepted_at text COLLATE "C" NOT NULL,
        accepted_by text NOT NULL,
        rejected text NOT NULL,                -- the digest of a version that a person refused
        origin text NOT NULL,
        PRIMARY KEY (project, member, server, tool)""",
    "observed_schema": f"""
        {_TOOL}, content text NOT NULL, PRIMARY KEY (project, member, server, tool)""",
    "policy_rule": """
        pattern text COLLATE "C" NOT NULL,
        effect text NOT NULL,
        PRIMARY KEY (project, member, pattern)""",
    "receipt": f"{_DAY}, {_TOOL}, {_SUMS}, PRIMARY KEY (project, member, day, server, tool)",
    "latency": f"""
        {_DAY}, {_TOOL}, bucket integer NOT NULL, calls bigint NOT NULL,
        PRIMARY KEY (project, member, day, server, tool, bucket)""",
    "speculation": f"""
        {_DAY}, {_TOOL},
        predicted bigint NOT NULL,
        started bigint NOT NULL,
        succeeded bigint NOT NULL,
        hits bigint NOT NULL,
        saved_ms double precision NOT NULL,
        wasted_ms double precision NOT NULL,
        dollars double precision NOT NULL,
        wasted_dollars double precision NOT NULL,
        PRIMARY KEY (project, member, day, server, tool)""",
    "field_read": f"""
        {_TOOL},
        field text COLLATE "C" NOT NULL,
        result text NOT NULL,                  -- a digest
        number bigint NOT NULL,
        PRIMARY KEY (project, member, server, tool, field, result)""",
    "projection": f"""
        {_TOOL},
        fields text NOT NULL,                  -- JSON
        accepted_at text NOT NULL,
        PRIMARY KEY (project, member, server, tool)""",
}
_INDEXES = (
    "CREATE INDEX server_entry_server ON server_entry (project, member, server)",
    "CREATE INDEX field_read_number ON field_read (project, member, server, tool, number DESC)",
)


def apply(connection: Connection) -> None:
    """Make the tables, each of them hidden from other projects."""
    for name, columns in _TABLES.items():
        connection.execute(f"CREATE TABLE {name} ({_OWNER}, {columns})")
    for index in _INDEXES:
        connection.execute(index)
    isolate(connection, *_TABLES)
