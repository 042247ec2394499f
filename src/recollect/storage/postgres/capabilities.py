"""Code that worked: the PostgreSQL adapter of `CapabilityStore`."""

import json
from collections.abc import Mapping, Sequence

from recollect.learning.capabilities import Capability
from recollect.storage.capability_content import capability_of, content_of
from recollect.storage.postgres.project_rows import ProjectRows

_PUT = """
INSERT INTO capability (project, name, digest, runs, successes, content)
VALUES (%(project)s, %(name)s, %(digest)s, %(runs)s, %(successes)s, %(content)s)
"""
_COUNT = """
UPDATE capability SET runs = runs + 1, successes = successes + %(success)s
WHERE project = %(project)s AND digest = %(digest)s RETURNING 1
"""
_CONTENT = "SELECT content FROM capability WHERE project = %(project)s"


class PostgresCapabilities:
    """Loads and saves capabilities."""

    def __init__(self, rows: ProjectRows) -> None:
        self._rows = rows

    def put(self, capability: Capability) -> None:
        with self._rows.transaction("capabilities"):
            self._rows.write(
                "DELETE FROM capability"
                " WHERE project = %(project)s AND (name = %(name)s OR digest = %(digest)s)",
                name=capability.name,
                digest=capability.digest,
            )
            self._rows.write(
                _PUT,
                name=capability.name,
                digest=capability.digest,
                runs=capability.runs,
                successes=capability.successes,
                content=content_of(capability),
            )

    def all(self) -> Sequence[Capability]:
        rows = self._rows.read(
            "SELECT name, digest, runs, successes, content FROM capability"
            " WHERE project = %(project)s ORDER BY name"
        )
        return [capability_of(*row) for row in rows]

    def count(self, digest: str, *, succeeded: bool) -> bool:
        with self._rows.transaction("capabilities"):
            return bool(self._rows.write(_COUNT, digest=digest, success=int(succeeded)))

    def pin(self, digest: str, schemas: Mapping[str, str]) -> None:
        with self._rows.transaction("capabilities"):
            for (text,) in self._rows.read(f"{_CONTENT} AND digest = %(digest)s", digest=digest):
                self._rows.write(
                    "UPDATE capability SET content = %(content)s"
                    " WHERE project = %(project)s AND digest = %(digest)s",
                    content=json.dumps(json.loads(text) | {"schemas": dict(schemas)}),
                    digest=digest,
                )

    def rename(self, name: str, new: str) -> bool:
        with self._rows.transaction("capabilities"):
            content = self._rows.read(f"{_CONTENT} AND name = %(name)s", name=name)
            if not content or self._rows.read(f"{_CONTENT} AND name = %(new)s", new=new):
                return False
            self._rows.write(
                "UPDATE capability SET name = %(new)s, content = %(content)s"
                " WHERE project = %(project)s AND name = %(name)s",
                new=new,
                content=json.dumps(json.loads(content[0][0]) | {"named": True}),
                name=name,
            )
        return True

    def remove(self, name: str) -> bool:
        sql = "DELETE FROM capability WHERE project = %(project)s AND name = %(name)s RETURNING 1"
        with self._rows.transaction("capabilities"):
            return bool(self._rows.write(sql, name=name))
