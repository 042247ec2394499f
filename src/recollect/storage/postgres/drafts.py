"""Drafts that wait for a person: the PostgreSQL adapter of `DraftStore`."""

import json
from typing import Any

from recollect.ids import slug
from recollect.records.redaction_port import RedactionGate
from recollect.storage import retention
from recollect.storage.postgres.database import ProjectDatabase
from recollect.storage.postgres.project_rows import ProjectRows
from recollect.working.draft import StoredDraft, unknown_draft

_PUT = """
INSERT INTO draft (project, name, document, number)
VALUES (%(project)s, %(name)s, %(document)s, %(number)s)
ON CONFLICT (project, name) DO UPDATE SET document = excluded.document, number = excluded.number
WHERE draft.document <> excluded.document
"""
_MAKE_ROOM = """
DELETE FROM draft WHERE project = %(project)s AND number <= (
    SELECT number FROM draft WHERE project = %(project)s ORDER BY number DESC LIMIT 1 OFFSET %(most)s)
"""


class PostgresDrafts:
    """The drafts of one project. An error in the gate stops the write."""

    def __init__(self, database: ProjectDatabase, gate: RedactionGate) -> None:
        self._rows, self._gate = ProjectRows(database), gate

    def put(self, name: str, document: dict[str, Any]) -> str:
        """Redact and store a draft in place of the one of that name. The name it is stored under."""
        clean, _ = self._gate(document)
        stored_name = slug(name, fallback="draft")
        with self._rows.transaction("drafts"):
            number = self._rows.next_number("draft")
            self._rows.write(_PUT, name=stored_name, document=json.dumps(clean), number=number)
            self._rows.write(_MAKE_ROOM, most=retention.MAX_DRAFTS)
        return stored_name

    def all(self) -> list[StoredDraft]:
        """Every draft, by name."""
        sql = "SELECT name, document FROM draft WHERE project = %(project)s ORDER BY name"
        return [StoredDraft(name, json.loads(document)) for name, document in self._rows.read(sql)]

    def get(self, name: str) -> StoredDraft:
        """A draft by its name. Raises NotFoundError that lists some names there are."""
        drafts = {draft.name: draft for draft in self.all()}
        if name not in drafts:
            raise unknown_draft(name, list(drafts))
        return drafts[name]

    def drop(self, name: str) -> None:
        """Delete a draft. Raises NotFoundError for an unknown name."""
        sql = "DELETE FROM draft WHERE project = %(project)s AND name = %(name)s RETURNING 1"
        if not self._rows.write(sql, name=name):
            raise unknown_draft(name, [draft.name for draft in self.all()])
