"""Results that were too large for a reply: the PostgreSQL adapter of `Vault`."""

import json
import time
from collections.abc import Callable, Sequence

from recollect.errors import UnwritableError
from recollect.gateway.vault.content import (
    BinaryPart,
    Part,
    StoredPart,
    StoredResult,
    TablePart,
    decoded,
    encoded,
)
from recollect.gateway.vault.retention import Limits, StoredSize, expired, refusal
from recollect.storage.postgres.database import ProjectDatabase
from recollect.storage.postgres.project_rows import ProjectRows, Row
from recollect.storage.result_handles import HANDLE, new_handle, unknown_result

_PUT = """
INSERT INTO stored_result (project, handle, tool, written, bytes)
VALUES (%(project)s, %(handle)s, %(tool)s, %(written)s, %(bytes)s)
"""
_PUT_PART = """
INSERT INTO stored_part (project, handle, number, kind, name, mime, delimiter, data)
VALUES (%(project)s, %(handle)s, %(number)s, %(kind)s, %(name)s, %(mime)s, %(delimiter)s, %(data)s)
"""
_PARTS = """
SELECT number, kind, data, name, mime, delimiter FROM stored_part
WHERE project = %(project)s AND handle = %(handle)s ORDER BY number
"""


class PostgresVault:
    """The results of one project. Parts have no files; `PartFiles` makes some where agents open them."""

    def __init__(
        self,
        database: ProjectDatabase,
        limits: Limits | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._rows, self._limits, self._now = ProjectRows(database), limits or Limits(), now

    def put(self, tool: str, parts: Sequence[Part]) -> StoredResult:
        """Store a result with all its parts in one transaction. Raises UnwritableError without room."""
        handle, data = new_handle(), [encoded(part) for part in parts]
        size = sum(map(len, data))
        with self._rows.transaction("vault"):
            self._make_room(size)
            self._rows.write(_PUT, handle=handle, tool=tool, written=self._now(), bytes=size)
            pairs = enumerate(zip(parts, data, strict=True), 1)
            self._rows.write_many(_PUT_PART, [_values(handle, number, *pair) for number, pair in pairs])
        stored = zip(parts, data, strict=True)
        return StoredResult(
            handle,
            tool,
            tuple(
                StoredPart(number, part, "", len(each)) for number, (part, each) in enumerate(stored, 1)
            ),
        )

    def get(self, handle: str) -> StoredResult:
        """A result with all its parts. Raises NotFoundError for a handle that is unknown or has expired."""
        if not HANDLE.fullmatch(handle):
            raise unknown_result(handle)
        sql = "SELECT tool FROM stored_result WHERE project = %(project)s AND handle = %(handle)s"
        results = self._rows.read(sql, handle=handle)
        if not results:
            raise unknown_result(handle)
        rows = self._rows.read(_PARTS, handle=handle)
        try:
            return StoredResult(handle, results[0][0], tuple(_part(row) for row in rows))
        except (ValueError, RecursionError):
            raise unknown_result(handle) from None

    def _make_room(self, size: int) -> None:
        rows = self._rows.read(
            "SELECT handle, written, bytes FROM stored_result WHERE project = %(project)s"
        )
        results = [StoredSize(*row) for row in rows]
        wanted = Limits(self._limits.age, self._limits.count - 1, self._limits.bytes - size)
        gone = expired(results, self._now(), wanted)
        self._rows.write(
            "DELETE FROM stored_result WHERE project = %(project)s AND handle = ANY(%(handles)s)",
            handles=gone,
        )
        left = [result for result in results if result.handle not in set(gone)]
        if reason := refusal(left, size, self._limits):
            raise UnwritableError(f"{reason}; call the tool again with a narrower request.")


def _values(handle: str, number: int, part: Part, data: bytes) -> dict[str, object]:
    return {
        "handle": handle,
        "number": number,
        "kind": part.kind,
        "name": json.dumps(part.name),
        "mime": part.mime if isinstance(part, BinaryPart) else "",
        "delimiter": part.delimiter if isinstance(part, TablePart) else "",
        "data": data,
    }


def _part(row: Row) -> StoredPart:
    number, kind, data, name, mime, delimiter = row
    part = decoded(kind, data, json.loads(name), mime=mime, delimiter=delimiter)
    return StoredPart(number, part, "", len(data))
