"""`gateway.lock`: which package each server runs, and which tools were accepted with it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from recollect.errors import InvalidError
from recollect.gateway.digest import digest
from recollect.gateway.entry import digest_of
from recollect.gateway.tool import UpstreamTool

LOCK_NAME = "gateway.lock"
VERSION = 1


@dataclass(frozen=True, slots=True)
class LockEntry:
    """One server. `schema` is the digest of its accepted tools; without a package its fields are empty."""

    source: str = ""
    package: str = ""
    version: str = ""
    integrity: str = ""
    released_at: str = ""
    schema: str = ""
    accepted_by: str = ""
    accepted_at: str = ""


def schema_digest(tools: Sequence[UpstreamTool]) -> str:
    """The digest of a server's accepted tools, whatever their order."""
    return f"sha256:{digest({tool.name: digest_of(tool) for tool in tools})}"


def parse_lock(text: str, where: str) -> dict[str, LockEntry]:
    """The servers of a lock file. Raises InvalidError that names the file."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidError(f"{where} is not valid JSON: {error}.") from None
    servers = document.get("servers") if isinstance(document, dict) else None
    if not isinstance(servers, dict) or document.get("version") != VERSION:
        raise InvalidError(
            f"{where} is not a lock file of version {VERSION}; remove it and update again."
        )
    return {name: _entry(name, row, where) for name, row in servers.items()}


def lock_text(entries: Mapping[str, LockEntry]) -> str:
    """A lock file: sorted, one field per line, so that git shows what changed."""
    servers = {
        name: {key: value for key, value in asdict(entries[name]).items() if value}
        for name in sorted(entries)
    }
    return json.dumps({"version": VERSION, "servers": servers}, indent=2, ensure_ascii=False) + "\n"


def _entry(name: str, row: Any, where: str) -> LockEntry:
    if not isinstance(row, dict) or not all(isinstance(value, str) for value in row.values()):
        raise InvalidError(f"{where}: the server {name!r} must be an object whose values are strings.")
    known = {field.name for field in fields(LockEntry)}
    return LockEntry(**{key: value for key, value in row.items() if key in known})
