"""The tables of the index. A change of VERSION rebuilds it from the files."""

VERSION = 10
# The text is stemmed already, and this tokenizer does not change stems. Marks are part of a word: without
# `categories`, unicode61 would split an Indic word at each of its vowel signs.
TOKENIZER = "unicode61 remove_diacritics 2 categories ''L* M* N* Co''"

TABLES = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE file (
    path TEXT PRIMARY KEY,
    modified INTEGER NOT NULL,      -- nanoseconds
    size INTEGER NOT NULL,
    digest TEXT NOT NULL,
    seen INTEGER NOT NULL,          -- when it was read; a change soon after may hide behind the clock
    document INTEGER                -- NULL when the file is no memory
) WITHOUT ROWID;

CREATE TABLE document (
    key INTEGER PRIMARY KEY AUTOINCREMENT,  -- never given twice: vectors hang on it
    id TEXT NOT NULL,
    path TEXT NOT NULL,
    title TEXT NOT NULL,
    tags TEXT NOT NULL,             -- JSON list
    body TEXT NOT NULL,
    category TEXT NOT NULL,
    priority INTEGER NOT NULL,
    status TEXT NOT NULL,
    created_at TEXT NOT NULL,       -- UTC, so that text order is time order
    updated_at TEXT,
    valid_from TEXT,
    valid_to TEXT,
    gone_at TEXT,
    ended_as TEXT NOT NULL,         -- what its content says against it: rejected, expired on ...; or nothing
    ended_at TEXT,                  -- since when
    files TEXT NOT NULL,            -- JSON list
    thread TEXT NOT NULL,
    source TEXT NOT NULL,
    anchors TEXT NOT NULL,          -- JSON list of rows, or nothing
    plain_title TEXT NOT NULL,      -- the words of the title, by which a save looks for duplicates
    pinned_at TEXT NOT NULL         -- nothing when it is not pinned
);
CREATE INDEX document_id ON document (id, priority, status);
CREATE INDEX document_standing ON document (      -- all that filters ask, without the wide rows
    status, valid_to, source, category, valid_from, created_at, updated_at, gone_at, ended_at, id, priority
);
CREATE INDEX document_title ON document (plain_title);
CREATE INDEX document_pinned ON document (pinned_at) WHERE pinned_at <> '';
CREATE INDEX document_thread ON document (thread) WHERE thread <> '';

CREATE TABLE tag (tag TEXT NOT NULL, document INTEGER NOT NULL, PRIMARY KEY (tag, document)) WITHOUT ROWID;
CREATE INDEX tag_document ON tag (document);

CREATE TABLE named_file (name TEXT NOT NULL, path TEXT NOT NULL, document INTEGER NOT NULL);
CREATE INDEX named_file_name ON named_file (name);
CREATE INDEX named_file_document ON named_file (document);

CREATE TABLE edge (
    source TEXT NOT NULL,           -- unified ids, of the memory that holds the link and of what it points to
    type TEXT NOT NULL,
    target TEXT NOT NULL,
    evidence TEXT NOT NULL,         -- nothing when the link gives none
    priority INTEGER NOT NULL,      -- its document's: of two with one id, the links of the first count
    document INTEGER NOT NULL
);
CREATE INDEX edge_source ON edge (source, type, target);
CREATE INDEX edge_target ON edge (target, type, source);
CREATE INDEX edge_document ON edge (document);
CREATE INDEX edge_superseding ON edge (target, document) WHERE type = 'supersedes';

CREATE VIRTUAL TABLE text USING fts5 (
    title, tags, body, context, tokenize = '{TOKENIZER}'
);
CREATE VIRTUAL TABLE term USING fts5vocab (text, row);

CREATE TABLE passage (
    slot INTEGER PRIMARY KEY,       -- its row in the matrix
    document INTEGER NOT NULL
);
CREATE INDEX passage_document ON passage (document);

CREATE TABLE skill_page (           -- what was parsed of the files of the skill folders
    path TEXT PRIMARY KEY,          -- absolute
    folder TEXT NOT NULL,
    inside TEXT NOT NULL,           -- its path in the folder
    modified INTEGER NOT NULL,      -- nanoseconds
    changed INTEGER NOT NULL,       -- nanoseconds; also after a change of its permissions
    size INTEGER NOT NULL,
    seen INTEGER NOT NULL,
    digest TEXT NOT NULL,
    note TEXT NOT NULL,
    page TEXT                       -- JSON list; NULL when the file is no page
) WITHOUT ROWID;
"""

# The links that supersede a document. A decision that is only proposed, or rejected, supersedes nothing.
SUPERSEDING = (
    "edge JOIN document AS newer ON newer.key = edge.document WHERE edge.type = 'supersedes'"
    " AND newer.id <> edge.target AND newer.ended_as NOT IN ('proposed', 'rejected')"
)
SUPERSEDED = (
    f"EXISTS (SELECT 1 FROM {SUPERSEDING} AND edge.target = document.id"
    " AND coalesce(newer.valid_from, newer.created_at) <= ?)"
)
# Whether an active document is in force at a moment: `records.in_force` in SQL. `in_force_values` gives its
# values. Nothing in it is ever NULL, so that its opposite can be asked for too.
IN_FORCE = (
    "(valid_from IS NULL OR valid_from <= created_at OR valid_from <= ?)"
    " AND (valid_to IS NULL OR (valid_to > created_at AND valid_to > ?))"
    " AND (ended_at IS NULL OR (ended_at > created_at AND ended_at > ?))"
    f" AND NOT {SUPERSEDED}"
)


def in_force_values(moment: str) -> tuple[str, ...]:
    """The values of `IN_FORCE` for a moment."""
    return (moment,) * IN_FORCE.count("?")


def storable(text: str) -> str:
    """`text` as SQLite can store it: lone surrogates, which UTF-8 cannot encode, are escaped."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()
