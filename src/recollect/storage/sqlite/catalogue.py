"""The catalogue in `gateway.db`: one row for each tool, resource, template and prompt."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from recollect.gateway.catalogue_change import changed_keys, first_of_each
from recollect.gateway.entry import (
    Kind,
    content_of,
    digest_of,
    kind_of,
    prompt_of,
    resource_of,
    template_of,
    tool_of,
)
from recollect.gateway.listing import (
    Entry,
    ServerListing,
    UpstreamPrompt,
    UpstreamResource,
    UpstreamTemplate,
)
from recollect.gateway.ports import CatalogueChange
from recollect.gateway.tool import UpstreamTool
from recollect.storage.sqlite.schema import storable

if TYPE_CHECKING:
    from recollect.storage.sqlite.gateway_database import GatewayDatabase


class SqliteCatalogue:
    """The catalogue in a database. Fills the `Catalogue` port."""

    def __init__(self, db: "GatewayDatabase") -> None:
        self._db = db

    def tools(self) -> Sequence[UpstreamTool]:
        return [tool_of(server, content) for server, content in self._contents("tool")]

    def tool(self, server: str, name: str) -> UpstreamTool | None:
        sql = "SELECT content FROM entry WHERE kind = 'tool' AND server = ? AND key = ?"
        rows = self._db.rows(sql, (server, storable(name)))
        return tool_of(server, json.loads(rows[0][0])) if rows else None

    def resources(self) -> Sequence[UpstreamResource]:
        return [resource_of(server, content) for server, content in self._contents("resource")]

    def templates(self) -> Sequence[UpstreamTemplate]:
        return [template_of(server, content) for server, content in self._contents("template")]

    def prompts(self) -> Sequence[UpstreamPrompt]:
        return [prompt_of(server, content) for server, content in self._contents("prompt")]

    def listed(self) -> Mapping[str, str]:
        return dict(self._db.rows("SELECT name, listed_at FROM server ORDER BY name"))

    def revision(self) -> object:
        sql = "SELECT server, key, digest FROM entry WHERE kind = 'tool' ORDER BY server, key"
        return self._db.rows(sql)

    def has(self, server: str, listing: ServerListing) -> bool:
        return server in self.listed() and all(
            entries is None or self._digests(server, kind_of(shape)) == _digests_of(entries)
            for shape, entries in listing.by_shape()
        )

    def record(self, server: str, listing: ServerListing, at: str) -> CatalogueChange:
        with self._db.transaction():
            self._db.rows(
                "INSERT INTO server VALUES (?, ?) ON CONFLICT DO UPDATE SET listed_at = excluded.listed_at",
                (server, at),
            )
            change = self._update(server, UpstreamTool, listing.tools)
            self._update(server, UpstreamResource, listing.resources)
            self._update(server, UpstreamTemplate, listing.templates)
            self._update(server, UpstreamPrompt, listing.prompts)
        return change

    def forget(self, server: str) -> None:
        with self._db.transaction():
            self._db.rows("DELETE FROM server WHERE name = ?", (server,))

    def _contents(self, kind: Kind) -> list[tuple[str, dict[str, Any]]]:
        sql = "SELECT server, content FROM entry WHERE kind = ? ORDER BY server, key"
        return [(server, json.loads(content)) for server, content in self._db.rows(sql, (kind,))]

    def _update(
        self, server: str, shape: type[Entry], entries: Sequence[Entry] | None
    ) -> CatalogueChange:
        """Write the entries whose digest differs from the stored one, and delete those that are gone."""
        if entries is None:
            return CatalogueChange()
        kind = kind_of(shape)
        current, repeated = first_of_each(entries, storable)
        digests = {key: digest_of(entry) for key, entry in current.items()}
        change = changed_keys(self._digests(server, kind), digests, repeated)
        removed = [(server, kind, key) for key in change.removed]
        self._db.write_many("DELETE FROM entry WHERE server = ? AND kind = ? AND key = ?", removed)
        self._db.write_many(
            "INSERT OR REPLACE INTO entry (server, kind, key, digest, content) VALUES (?, ?, ?, ?, ?)",
            [
                (server, kind, key, digests[key], json.dumps(content_of(current[key])))
                for key in change.added + change.changed
            ],
        )
        return change

    def _digests(self, server: str, kind: Kind) -> dict[str, str]:
        sql = "SELECT key, digest FROM entry WHERE server = ? AND kind = ?"
        return dict(self._db.rows(sql, (server, kind)))


def _digests_of(entries: Sequence[Entry]) -> dict[str, str]:
    current, _ = first_of_each(entries, storable)
    return {key: digest_of(entry) for key, entry in current.items()}
