"""Capabilities in `state.db`: the SQLite adapter of `CapabilityStore`."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from recollect.learning.capabilities import Capability
from recollect.storage.capability_content import capability_of, content_of
from recollect.storage.sqlite.schema import storable

if TYPE_CHECKING:
    from recollect.storage.sqlite.state import StateConnection


class SqliteCapabilities:
    """Loads and saves capabilities. Safe for many processes at once."""

    def __init__(self, db: "StateConnection") -> None:
        self._db = db

    def put(self, capability: Capability) -> None:
        self._db.rows(
            "INSERT OR REPLACE INTO capability (name, digest, runs, successes, content)"
            " VALUES (?, ?, ?, ?, ?)",
            (
                storable(capability.name),
                capability.digest,
                capability.runs,
                capability.successes,
                content_of(capability),
            ),
        )

    def all(self) -> Sequence[Capability]:
        rows = self._db.rows(
            "SELECT name, digest, runs, successes, content FROM capability ORDER BY name"
        )
        return [capability_of(*row) for row in rows]

    def count(self, digest: str, *, succeeded: bool) -> bool:
        sql = (
            "UPDATE capability SET runs = runs + 1, successes = successes + ? WHERE digest = ?"
            " RETURNING name"
        )
        return bool(self._db.rows(sql, (int(succeeded), digest)))

    def pin(self, digest: str, schemas: Mapping[str, str]) -> None:
        sql = "UPDATE capability SET content = json_set(content, '$.schemas', json(?)) WHERE digest = ?"
        self._db.rows(sql, (json.dumps(dict(schemas)), digest))

    def rename(self, name: str, new: str) -> bool:
        sql = (
            "UPDATE OR IGNORE capability SET name = ?, content = json_set(content, '$.named', json('true'))"
            " WHERE name = ? RETURNING name"
        )
        return bool(self._db.rows(sql, (storable(new), storable(name))))

    def remove(self, name: str) -> bool:
        sql = "DELETE FROM capability WHERE name = ? RETURNING name"
        return bool(self._db.rows(sql, (storable(name),)))
