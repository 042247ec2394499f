"""Every tool, resource, template and prompt that a member's servers listed: the adapter of `Catalogue`."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

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
from recollect.storage.postgres.member_rows import OWNED, MemberRows
from recollect.storage.postgres.text_values import restored, storable

_LISTED = """
INSERT INTO server (project, member, name, listed_at)
VALUES (%(project)s, %(member)s, %(server)s, %(at)s)
ON CONFLICT (project, member, name) DO UPDATE SET listed_at = excluded.listed_at
"""
_PUT = """
INSERT INTO server_entry (project, member, server, kind, key_digest, key, digest, content)
VALUES (%(project)s, %(member)s, %(server)s, %(kind)s, %(key_digest)s, %(key)s, %(digest)s, %(content)s)
ON CONFLICT (project, member, kind, server, key_digest)
    DO UPDATE SET digest = excluded.digest, content = excluded.content
"""
_DROP = f"""
DELETE FROM server_entry
WHERE {OWNED} AND server = %(server)s AND kind = %(kind)s AND key_digest = %(key_digest)s
"""


class PostgresCatalogue:
    """The catalogue of one member."""

    def __init__(self, rows: MemberRows) -> None:
        self._rows = rows

    def tools(self) -> Sequence[UpstreamTool]:
        return [tool_of(server, content) for server, content in self._contents("tool")]

    def tool(self, server: str, name: str) -> UpstreamTool | None:
        rows = self._rows.read(
            f"SELECT content FROM server_entry WHERE {OWNED} AND kind = 'tool' AND server = %(server)s"
            " AND key_digest = %(key_digest)s",
            server=server,
            key_digest=_key_digest(name),
        )
        return tool_of(server, json.loads(rows[0][0])) if rows else None

    def resources(self) -> Sequence[UpstreamResource]:
        return [resource_of(server, content) for server, content in self._contents("resource")]

    def templates(self) -> Sequence[UpstreamTemplate]:
        return [template_of(server, content) for server, content in self._contents("template")]

    def prompts(self) -> Sequence[UpstreamPrompt]:
        return [prompt_of(server, content) for server, content in self._contents("prompt")]

    def listed(self) -> Mapping[str, str]:
        sql = f"SELECT name, listed_at FROM server WHERE {OWNED} ORDER BY name"
        return dict(self._rows.read(sql))

    def revision(self) -> object:
        return self._rows.read(
            f"SELECT server, key, digest FROM server_entry WHERE {OWNED} AND kind = 'tool'"
            " ORDER BY server, key"
        )

    def has(self, server: str, listing: ServerListing) -> bool:
        return server in self.listed() and all(
            entries is None or self._digests(server, kind_of(shape)) == _digests_of(entries)
            for shape, entries in listing.by_shape()
        )

    def record(self, server: str, listing: ServerListing, at: str) -> CatalogueChange:
        with self._rows.transaction():
            self._rows.write(_LISTED, server=server, at=at)
            change = self._update(server, UpstreamTool, listing.tools)
            self._update(server, UpstreamResource, listing.resources)
            self._update(server, UpstreamTemplate, listing.templates)
            self._update(server, UpstreamPrompt, listing.prompts)
        return change

    def forget(self, server: str) -> None:
        with self._rows.transaction():
            self._rows.write(f"DELETE FROM server WHERE {OWNED} AND name = %(server)s", server=server)

    def _contents(self, kind: Kind) -> list[tuple[str, dict[str, Any]]]:
        sql = (
            f"SELECT server, content FROM server_entry WHERE {OWNED} AND kind = %(kind)s"
            " ORDER BY server, key"
        )
        return [(server, json.loads(content)) for server, content in self._rows.read(sql, kind=kind)]

    def _update(
        self, server: str, shape: type[Entry], entries: Sequence[Entry] | None
    ) -> CatalogueChange:
        """Write the entries whose digest differs from the stored one, and delete those that are gone."""
        if entries is None:
            return CatalogueChange()
        kind = kind_of(shape)
        current, repeated = first_of_each(entries, _as_read)
        digests = {key: digest_of(entry) for key, entry in current.items()}
        change = changed_keys(self._digests(server, kind), digests, repeated)
        place = {"server": server, "kind": kind}
        self._rows.write_many(_DROP, [place | _key(key) for key in change.removed])
        self._rows.write_many(
            _PUT,
            [
                place
                | _key(key)
                | {"digest": digests[key], "content": json.dumps(content_of(current[key]))}
                for key in change.added + change.changed
            ],
        )
        return change

    def _digests(self, server: str, kind: Kind) -> dict[str, str]:
        sql = (
            f"SELECT key, digest FROM server_entry"
            f" WHERE {OWNED} AND server = %(server)s AND kind = %(kind)s"
        )
        return dict(self._rows.read(sql, server=server, kind=kind))


def _digests_of(entries: Sequence[Entry]) -> dict[str, str]:
    current, _ = first_of_each(entries, _as_read)
    return {key: digest_of(entry) for key, entry in current.items()}


def _as_read(key: str) -> str:
    """A key as the database gives it back: it has no lone surrogates."""
    return restored(storable(key))


def _key(key: str) -> dict[str, object]:
    return {"key": key, "key_digest": _key_digest(key)}


def _key_digest(key: str) -> str:
    return hashlib.sha256(storable(key).encode()).hexdigest()[:32]
