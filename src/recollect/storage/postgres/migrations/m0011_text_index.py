"""The text index: documents, their words, and the links between them. Derived from the memories.

Derived tables have no foreign keys: checking one for each word would double the cost of a write, and what is
wrong in them is repaired by building them again.
"""

from recollect.storage.postgres.database import Connection
from recollect.storage.postgres.tenancy import isolate

_TABLES = """
CREATE TABLE index_state (
    project text PRIMARY KEY,
    version bigint NOT NULL,            -- changes with the content
    documents bigint NOT NULL,
    tokens bigint NOT NULL              -- of all documents, in all columns
);
CREATE TABLE index_file (
    project text NOT NULL,
    path text COLLATE "C" NOT NULL,
    modified bigint NOT NULL,           -- nanoseconds
    size bigint NOT NULL,
    digest text NOT NULL,
    seen bigint NOT NULL,               -- when it was read; a change soon after may hide behind the clock
    document bigint,                    -- NULL when the file is no memory
    PRIMARY KEY (project, path)
);
CREATE SEQUENCE document_key;           -- never the same twice: vectors hang on it
CREATE TABLE document (
    project text NOT NULL,
    key bigint NOT NULL DEFAULT nextval('document_key'),
    id text COLLATE "C" NOT NULL,
    path text COLLATE "C" NOT NULL,
    title text NOT NULL,
    tags text[] NOT NULL,
    body text NOT NULL,
    category text COLLATE "C" NOT NULL,
    priority integer NOT NULL,
    status text COLLATE "C" NOT NULL,
    created_at text COLLATE "C" NOT NULL,   -- UTC, so that text order is time order
    updated_at text COLLATE "C",
    valid_from text COLLATE "C",
    valid_to text COLLATE "C",
    gone_at text COLLATE "C",
    ended_as text NOT NULL,             -- what its content says against it: rejected, expired on ...
    ended_at text COLLATE "C",          -- since when
    files text[] NOT NULL,
    thread text COLLATE "C" NOT NULL,
    source text NOT NULL,
    anchors text NOT NULL,              -- JSON list of rows, or nothing
    plain_title text COLLATE "C" NOT NULL,  -- the words of the title, by which a save looks for duplicates
    PRIMARY KEY (project, key)
);
CREATE INDEX document_id ON document (project, id);
CREATE INDEX document_standing ON document (project, status, category);
CREATE INDEX document_title ON document (project, md5(plain_title));
CREATE INDEX document_thread ON document (project, md5(thread)) WHERE thread <> '';
CREATE TABLE document_text (            -- stems
    project text NOT NULL,
    document bigint NOT NULL,
    title text NOT NULL,
    tags text NOT NULL,
    body text NOT NULL,
    context text NOT NULL,              -- of the neighbours in its thread
    length integer NOT NULL,
    PRIMARY KEY (project, document)
);
CREATE TABLE posting (
    project text NOT NULL,
    term text COLLATE "C" NOT NULL,
    document bigint NOT NULL,
    title integer NOT NULL,             -- how often, in each column
    tags integer NOT NULL,
    body integer NOT NULL,
    context integer NOT NULL,
    length integer NOT NULL,            -- of the document, as in document_text
    positions integer[] NOT NULL,       -- of the term; each column has numbers of its own
    PRIMARY KEY (project, term, document)
);
CREATE TABLE term (
    project text NOT NULL,
    term text COLLATE "C" NOT NULL,
    documents bigint NOT NULL,          -- how many have it
    PRIMARY KEY (project, term)
);
CREATE TABLE tag (
    project text NOT NULL,
    tag text COLLATE "C" NOT NULL,
    document bigint NOT NULL
);
CREATE INDEX tag_name ON tag (project, md5(lower(tag)));
CREATE INDEX tag_document ON tag (project, document);
CREATE TABLE named_file (
    project text NOT NULL,
    name text COLLATE "C" NOT NULL,     -- its base name, or * for a pattern
    path text COLLATE "C" NOT NULL,
    pattern text COLLATE "C",           -- a pattern as a regular expression
    document bigint NOT NULL
);
CREATE INDEX named_file_name ON named_file (project, md5(name));
CREATE INDEX named_file_document ON named_file (project, document);
CREATE TABLE edge (
    project text NOT NULL,
    source text COLLATE "C" NOT NULL,   -- unified ids, of the memory that holds the link and of its target
    type text COLLATE "C" NOT NULL,
    target text COLLATE "C" NOT NULL,
    evidence text NOT NULL,             -- nothing when the link gives none
    priority integer NOT NULL,          -- its document's: of two with one id, the links of the first count
    document bigint NOT NULL
);
CREATE INDEX edge_source ON edge (project, source, type, target);
CREATE INDEX edge_target ON edge (project, target, type, source);
CREATE INDEX edge_document ON edge (project, document);
"""
TABLES = (
    "index_state",
    "index_file",
    "document",
    "document_text",
    "posting",
    "term",
    "tag",
    "named_file",
    "edge",
)


def apply(connection: Connection) -> None:
    connection.execute(_TABLES)
    isolate(connection, *TABLES)
