"""Small webs of links, in a real index."""

from collections.abc import Iterable
from typing import Any

from tests.retrieval.corpora import doc
from tests.samples import document

from recollect.ids import UnifiedId, parse_unified
from recollect.records.json_format import Json
from recollect.records.record import Link, LinkType, Memory
from recollect.storage.sqlite import index_file
from recollect.storage.sqlite.edges import SqliteEdges
from recollect.storage.sqlite.writer import SqliteIndexWriter

Told = tuple[str, str, str]  # source, type, target


def u(name: str) -> UnifiedId:
    return parse_unified(name)


def told(text: str) -> list[Told]:
    """Links written one to a line: `rule derived_from outage`."""
    return [(a, b, c) for a, b, c in (line.split() for line in text.strip().splitlines())]


def web(links: Iterable[Told] | str, **status: str) -> SqliteEdges:
    """The links, and the memories that hold them or are pointed to; `status` is active unless given."""
    rows = told(links) if isinstance(links, str) else list(links)
    names = {end for source, _, target in rows for end in (source, target)} | status.keys()
    held: dict[str, list[Link]] = {name: [] for name in sorted(names) if ":" not in name}
    for source, type, target in rows:
        held[source].append(Link(LinkType(type), u(target), f"{source} says so"))
    gone = {name for name, state in status.items() if state == "gone"}
    db = index_file.memory()
    SqliteIndexWriter(db).fill(
        [
            doc(name, status=status.get(name, "active"), links=tuple(links))
            for name, links in held.items()
            if name not in gone
        ],
    )
    return SqliteEdges(db)


def memory(id: str, *links: Told | tuple[str, str], **fields: Any) -> Memory:
    """A record with links such as ("caused", "other")."""
    rows: Json = [{"type": link[-2], "target": link[-1]} for link in links]
    return Memory.parse(document(id=id, **fields) | ({"links": rows} if links else {}))
