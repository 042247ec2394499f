"""The reading side of the index. Fills the `Index` port over SQLite FTS5."""

from __future__ import annotations

import json
import sqlite3

from recollect.retrieval.files import agreement, base_name
from recollect.retrieval.index import Document, Fact, Filters, Key
from recollect.storage.sqlite.connections import snapshot
from recollect.storage.sqlite.schema import IN_FORCE, SUPERSEDED, SUPERSEDING, in_force_values, storable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recollect.graph.graph_map import MapNode
    from recollect.ids import UnifiedId
    from recollect.storage.sqlite.edges import SqliteEdges
    from recollect.storage.sqlite.pages import DocumentPages
    from recollect.storage.sqlite.passages import PassageTable
else:
    UnifiedId = str

WEIGHTS = (5.0, 3.0, 1.0, 0.5)  # title, tags, body, neighbours of the same thread
_BATCH = 500  # variables of one statement
_RANK = "bm25(text, {}, {}, {}, {})".format(*WEIGHTS)


class SqliteIndex:
    """Queries over an open index. Not for two threads at once."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def snapshot(self) -> snapshot:
        """Read the index as it is at one moment, whatever others write."""
        return snapshot(self.connection)

    def version(self) -> object:
        from recollect.storage.sqlite.passages import content_version

        return content_version(self.connection)

    def edges(self) -> SqliteEdges:
        """The links between the documents."""
        from recollect.storage.sqlite.edges import SqliteEdges

        return SqliteEdges(self.connection)

    def passages(self) -> PassageTable:
        """Which documents have vectors."""
        from recollect.storage.sqlite.passages import PassageTable

        return PassageTable(self.connection)

    def count_without_vectors(self, model: str) -> int:
        """How many documents have no vectors of a model."""
        table = self.passages()
        is_same = table.get_property("model") == model
        return table.count_missing() if is_same else table.count_documents()

    def pages(self) -> DocumentPages:
        """The documents in an order, a page at a time."""
        from recollect.storage.sqlite.pages import DocumentPages

        return DocumentPages(self)

    def map_nodes(self) -> list[MapNode]:
        """Every memory as a node of a map."""
        from recollect.storage.sqlite.map_nodes import map_nodes

        return map_nodes(self.connection)

    def folder_times(self) -> str | None:
        """The folder times at the last complete synchronisation; None before the first."""
        row = self.connection.execute("SELECT value FROM meta WHERE key = 'folders'").fetchone()
        return row[0] if row else None

    def file_state(self, path: str) -> tuple[int, int] | None:
        """Modification time and size that a file had when it was read; None for an unknown file."""
        sql = "SELECT modified, size FROM file WHERE path = ?"
        row = self.connection.execute(sql, (path,)).fetchone()
        return (row[0], row[1]) if row else None

    @property
    def size(self) -> int:
        row = self.connection.execute("SELECT value FROM meta WHERE key = 'documents'").fetchone()
        return int(row[0]) if row else 0

    def stemmed(self, key: Key) -> tuple[Sequence[str], Sequence[str]]:
        sql = "SELECT title || ' ' || tags, body FROM text WHERE rowid = ?"
        head, body = self.connection.execute(sql, (key,)).fetchone()
        return head.split(), body.split()

    def frequencies(self, stems: Sequence[str]) -> Mapping[str, int]:
        counts: dict[str, int] = {}
        for start in range(0, len(stems), _BATCH):
            some = stems[start : start + _BATCH]
            marks = ",".join("?" * len(some))
            counts.update(
                self.connection.execute(f"SELECT term, doc FROM term WHERE term IN ({marks})", some)
            )
        return counts

    def longer(self, stem: str, most: int) -> Sequence[str]:
        if len(stem) == 1 and not stem.isascii():
            sql = "SELECT term FROM term WHERE instr(term, ?) AND term <> ? ORDER BY doc DESC, term LIMIT ?"
            return [row[0] for row in self.connection.execute(sql, (stem, stem, most))]
        sql = "SELECT term FROM term WHERE term >= ? AND term < ? ORDER BY doc DESC, term LIMIT ?"
        return [row[0] for row in self.connection.execute(sql, (stem, stem + "\U0010ffff", most))]

    def by_words(
        self, terms: Sequence[tuple[str, int]], filters: Filters, limit: int
    ) -> Sequence[tuple[Key, float]]:
        match = " OR ".join(_quoted(stem) for stem, times in terms for _ in range(times))
        if not match:
            return []
        sql = (
            f"SELECT rowid, -{_RANK} AS score FROM text WHERE text MATCH ? ORDER BY score DESC LIMIT ?"
        )
        take = limit + limit // 4  # most filters leave out few
        while True:  # ranking first, filters on its top: a join of every match costs twice as much
            scores = dict(self.connection.execute(sql, (match, take)))
            admitted = self._admitted(list(scores), filters)
            ranked = sorted(admitted, key=lambda key: -scores[key])  # stable: ties keep priority and id
            complete = len(scores) < take
            # If equal scores were cut off, which of them are missing would depend on the order of writing.
            if complete or (len(ranked) >= limit and scores[ranked[limit - 1]] > min(scores.values())):
                return [(Key(key), float(scores[key])) for key in ranked[:limit]]
            take *= 4

    def by_pairs(self, pairs: Sequence[tuple[str, str]]) -> Mapping[Key, float]:
        match = " OR ".join(_quoted(f"{first} {second}") for first, second in pairs)
        sql = f"SELECT rowid, -{_RANK} FROM text WHERE text MATCH ?"
        return dict(self.connection.execute(sql, (match,))) if match else {}

    def _admitted(self, keys: Sequence[int], filters: Filters) -> list[int]:
        """The keys that pass the filters, by priority and id."""
        where, values = filter_sql(filters)
        rows: list[tuple[int, str, int]] = []
        for start in range(0, len(keys), _BATCH):
            some = keys[start : start + _BATCH]
            marks = ",".join("?" * len(some))
            # By key: otherwise SQLite would scan an index of every active document.
            sql = f"SELECT priority, id, key FROM document NOT INDEXED WHERE key IN ({marks}) {where}"
            rows += self.connection.execute(sql, (*some, *values))
        return [key for _, _, key in sorted(rows)]

    def by_files(
        self, names: Sequence[str], filters: Filters, limit: int
    ) -> Sequence[tuple[Key, float]]:
        scores: dict[int, float] = {}
        for name in dict.fromkeys(names):
            for key, sure in self._about(name).items():
                scores[key] = scores.get(key, 0.0) + sure
        if not scores:
            return []
        ranked = sorted(self._admitted(list(scores), filters), key=lambda key: -scores[key])
        return [(Key(key), scores[key]) for key in ranked[:limit]]

    def _about(self, name: str) -> dict[int, float]:
        """Documents about a file, with a confidence: by its name, or by one of the few patterns.

        A path such as `app/[id]/page.tsx` looks like a pattern but is not.
        """
        confidences: dict[int, float] = {}
        sql = "SELECT document, path FROM named_file WHERE name = ? OR (name = '*' AND path = ?)"
        for key, path in self.connection.execute(sql, (base_name(name), name)):
            if sure := agreement(name, path):
                confidences[key] = max(confidences.get(key, 0.0), sure)
        sql = "SELECT document FROM named_file WHERE name = '*' AND ? GLOB path"
        for (key,) in self.connection.execute(sql, (name,)):
            confidences.setdefault(key, 1.0)
        return confidences

    def by_age(self, keys: Sequence[Key]) -> Sequence[Key]:
        marks = ",".join("?" * len(keys))
        sql = f"SELECT key FROM document WHERE key IN ({marks}) ORDER BY created_at DESC, id DESC, priority"
        return [Key(row[0]) for row in self.connection.execute(sql, keys)]

    def excluded(self, filters: Filters) -> Sequence[Key]:
        where, values = filter_sql(filters)
        sql = f"SELECT key FROM document WHERE NOT (1 {where})"
        if (
            filters == Filters()
        ):  # the everyday case, in a form that SQLite looks up instead of scanning for
            sql, values = "SELECT key FROM document WHERE status < ?1 OR status > ?1", ["active"]
        rows = self.connection.execute(sql, values)
        return [Key(row[0]) for row in rows]

    def titles(self, filters: Filters) -> Sequence[tuple[Key, str, Sequence[str]]]:
        where, values = filter_sql(filters)
        sql = f"SELECT key, title, tags FROM document WHERE 1 {where} ORDER BY priority, id"
        return [
            (Key(key), title, _list(tags)) for key, title, tags in self.connection.execute(sql, values)
        ]

    def by_ids(self, ids: Sequence[UnifiedId], filters: Filters) -> dict[UnifiedId, Document]:
        """The documents of these ids that pass, in the order of the ids."""
        keys = self.keys(ids, filters)
        documents = self.documents(list(keys.values()))
        return {id: documents[keys[id]] for id in ids if id in keys}

    def keys(self, ids: Sequence[UnifiedId], filters: Filters) -> Mapping[UnifiedId, Key]:
        marks = ",".join("?" * len(ids))
        rows = self.connection.execute(f"SELECT key, id FROM document WHERE id IN ({marks})", ids)
        named = dict(rows.fetchall())
        first_keys: dict[UnifiedId, Key] = {}
        for key in self._admitted(list(named), filters):
            first_keys.setdefault(UnifiedId(named[key]), Key(key))
        return first_keys

    def newest(self, category: str, now: str) -> Document | None:
        """The document of a category that was changed last, of those in force now."""
        sql = (
            f"SELECT key FROM document WHERE category = ? AND status = 'active' AND {IN_FORCE}"
            " ORDER BY coalesce(updated_at, created_at) DESC, id, priority LIMIT 1"
        )
        row = self.connection.execute(sql, (category, *in_force_values(now))).fetchone()
        return self.documents([Key(row[0])])[Key(row[0])] if row else None

    def anchored(self, now: str, limit: int) -> Sequence[Document]:
        """Documents with anchors that are in force now, by priority and id."""
        sql = (
            f"SELECT key FROM document WHERE anchors <> '' AND status = 'active' AND {IN_FORCE}"
            " ORDER BY priority, id LIMIT ?"
        )
        keys = [Key(row[0]) for row in self.connection.execute(sql, (*in_force_values(now), limit))]
        documents = self.documents(keys)
        return [documents[key] for key in keys]

    def pinned(self, now: str) -> Sequence[Document]:
        """Pinned documents that are in force now, those confirmed last first."""
        sql = (
            f"SELECT key FROM document WHERE pinned_at <> '' AND status = 'active' AND {IN_FORCE}"
            " ORDER BY pinned_at DESC, priority, id"
        )
        keys = [Key(row[0]) for row in self.connection.execute(sql, in_force_values(now))]
        documents = self.documents(keys)
        return [documents[key] for key in keys]

    def in_force(self, keys: Sequence[Key], now: str) -> frozenset[Key]:
        return frozenset(Key(key) for key in self._admitted(keys, Filters(in_force_at=now)))

    def successors(self, ids: Sequence[UnifiedId]) -> dict[UnifiedId, tuple[tuple[str, str], ...]]:
        """The memories that supersede each of these, and when they start being valid."""
        marks = ",".join("?" * len(ids))
        sql = (
            "SELECT edge.target, newer.id, coalesce(newer.valid_from, newer.created_at)"
            f" FROM {SUPERSEDING} AND edge.target IN ({marks}) ORDER BY newer.id"
        )
        result: dict[UnifiedId, tuple[tuple[str, str], ...]] = {}
        for older, newer, start in self.connection.execute(sql, ids):
            result[UnifiedId(older)] = (*result.get(UnifiedId(older), ()), (newer, start))
        return result

    def facts(self, keys: Sequence[Key]) -> Mapping[Key, Fact]:
        facts: dict[Key, Fact] = {}
        for start in range(0, len(keys), _BATCH):
            some = keys[start : start + _BATCH]
            marks = ",".join("?" * len(some))
            sql = f"SELECT key, id, category, priority FROM document WHERE key IN ({marks})"
            for key, id, category, priority in self.connection.execute(sql, some):
                facts[Key(key)] = Fact(UnifiedId(id), category, priority)
        return facts

    def documents(self, keys: Sequence[Key]) -> Mapping[Key, Document]:
        marks = ",".join("?" * len(keys))
        cursor = self.connection.execute(f"SELECT * FROM document WHERE key IN ({marks})", keys)
        names = [column[0] for column in cursor.description]
        rows = [dict(zip(names, row, strict=True)) for row in cursor]
        successors = self.successors([row["id"] for row in rows])
        return {Key(row["key"]): _document(row, successors.get(row["id"], ())) for row in rows}


def _quoted(stem: str) -> str:
    """A stem as a quoted FTS5 string, in which nothing is query syntax."""
    return '"' + stem.replace('"', '""') + '"'


def filter_sql(filters: Filters) -> tuple[str, list[Any]]:
    """The SQL of the filters, each behind an AND."""
    parts: list[str] = []
    values: list[Any] = []

    def add(sql: str, *parameters: Any) -> None:
        parts.append(f"AND {sql}")
        values.extend(parameters)

    if filters.categories:
        add(f"category IN ({_marks(filters.categories)})", *sorted(filters.categories))
    for tag in sorted(filters.tags):
        add("key IN (SELECT document FROM tag WHERE tag = ? COLLATE NOCASE)", storable(tag))
    if filters.file is not None:
        about = (
            "SELECT document FROM named_file WHERE (name = ? AND (path = ? OR substr(path, -length(?)) = ?))"
            " OR (name = '*' AND (path = ? OR ? GLOB path))"
        )
        file = storable(filters.file)
        end = f"/{file}"
        add(f"key IN ({about})", base_name(file), file, end, end, file, file)
    if filters.since is not None:
        add("coalesce(updated_at, created_at) >= ?", filters.since)
    if filters.until is not None:
        add("coalesce(updated_at, created_at) <= ?", filters.until)
    if filters.as_of is not None:
        moment = filters.as_of
        add("coalesce(valid_from, created_at) <= ?", moment)
        for end in ("valid_to", "gone_at", "ended_at"):
            add(f"({end} IS NULL OR {end} > ?)", moment)
        add(f"NOT {SUPERSEDED}", moment)
    elif filters.statuses:
        add(f"status IN ({_marks(filters.statuses)})", *sorted(filters.statuses))
    if filters.in_force_at is not None and filters.as_of is None:
        add(IN_FORCE, *in_force_values(filters.in_force_at))
    if filters.out_of_force_at is not None:
        add(f"NOT (status = 'active' AND {IN_FORCE})", *in_force_values(filters.out_of_force_at))
    if filters.only_trusted:
        add("source <> 'tool'")
    for category, moment in filters.retained_since:
        add("(category <> ? OR coalesce(updated_at, created_at) >= ?)", category, moment)
    return " ".join(parts), values


def _marks(values: frozenset[str]) -> str:
    return ",".join("?" * len(values))


def _document(row: dict[str, Any], successors: tuple[tuple[str, str], ...]) -> Document:
    return Document(
        id=UnifiedId(row["id"]),
        title=row["title"],
        tags=tuple(_list(row["tags"])),
        body=row["body"],
        created_at=row["created_at"],
        category=row["category"],
        priority=row["priority"],
        status=row["status"],
        path=row["path"],
        updated_at=row["updated_at"],
        valid_from=row["valid_from"],
        valid_to=row["valid_to"],
        gone_at=row["gone_at"],
        ended_as=row["ended_as"],
        ended_at=row["ended_at"],
        files=tuple(_list(row["files"])),
        thread=row["thread"],
        source=row["source"],
        anchors=row["anchors"],
        pinned_at=row["pinned_at"],
        successors=successors,
    )


def _list(text: str) -> list[str]:
    try:
        return [str(item) for item in json.loads(text)]
    except (ValueError, TypeError):
        raise sqlite3.DatabaseError(f"{text!r} is kept as a list") from None
