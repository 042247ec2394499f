"""Members of projects, their tokens, the audit log, and what a project may use."""

from recollect.storage.postgres.database import Connection
from recollect.storage.postgres.tenancy import isolate

_TABLES = """
CREATE TABLE member (
    project text NOT NULL REFERENCES project (project) ON DELETE CASCADE,
    name text NOT NULL CHECK (name <> ''),
    role text NOT NULL CHECK (role IN ('read', 'write', 'approve', 'admin')),
    added_at timestamptz NOT NULL,
    removed_at timestamptz,                -- the row stays, because tokens and the audit log name it
    PRIMARY KEY (project, name)
);
CREATE TABLE api_token (
    project text NOT NULL,
    id text NOT NULL,
    digest text NOT NULL CHECK (length(digest) = 64),   -- SHA-256; the token itself is nowhere
    member text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('person', 'agent')),
    role text NOT NULL CHECK (role IN ('read', 'write', 'approve', 'admin')),
    label text NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz,
    PRIMARY KEY (project, id),
    FOREIGN KEY (project, member) REFERENCES member (project, name) ON DELETE CASCADE,
    CHECK (kind = 'person' OR role IN ('read', 'write'))  -- an agent never approves
);
CREATE TABLE audit (
    project text NOT NULL,
    number bigint GENERATED ALWAYS AS IDENTITY,
    at timestamptz NOT NULL,
    member text NOT NULL,
    kind text NOT NULL,
    token text NOT NULL,
    action text NOT NULL,
    target text NOT NULL,
    outcome text NOT NULL,
    PRIMARY KEY (project, number)
);
CREATE TABLE project_limits (
    project text PRIMARY KEY REFERENCES project (project) ON DELETE CASCADE,
    requests_per_minute integer NOT NULL CHECK (requests_per_minute >= 0),
    burst integer NOT NULL CHECK (burst >= 0),
    memories integer NOT NULL CHECK (memories >= 0)
);
-- Written by every request of a project with a limit, and worth nothing after a crash.
CREATE UNLOGGED TABLE request_bucket (
    project text PRIMARY KEY,
    level double precision NOT NULL,
    at double precision NOT NULL
) WITH (fillfactor = 50);
CREATE FUNCTION audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit log grows at its end only' USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON audit
    FOR EACH ROW EXECUTE FUNCTION audit_is_append_only();
CREATE TRIGGER append_only_table BEFORE TRUNCATE ON audit
    FOR EACH STATEMENT EXECUTE FUNCTION audit_is_append_only();
"""


def apply(connection: Connection) -> None:
    connection.execute(_TABLES)
    isolate(connection, "member", "api_token", "audit", "project_limits", "request_bucket")
