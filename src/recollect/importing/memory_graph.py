"""The graph of the MCP reference memory server: a JSON object per line, entities and relations."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from recollect.ids import slug
from recollect.importing.incoming import Incoming, Skipped
from recollect.importing.notes import note
from recollect.records.json_format import Json

_TYPES = ("entity", "relation")
MOST_OBSERVATIONS = 20_000


def is_graph(head: str) -> bool:
    """Whether a file that begins like this is such a graph."""
    first = next((line for line in head.split("\n") if line.strip()), "")
    row = _object(first)
    return row is not None and row.get("type") in _TYPES and ("name" in row or "from" in row)


def read(
    text: str, origin: str, clean: Callable[[Json], Json] = lambda row: row
) -> Iterator[Incoming | Skipped]:
    """An observation of an entity is a note about it. Relations and entities without any are named.

    Each row is made `clean` of secrets once it is parsed: in its JSON text the gate would see quotes.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        where, parsed = f"{origin}#L{number}", _object(line)
        row = clean(parsed) if parsed is not None else None
        if not isinstance(row, dict) or row.get("type") not in _TYPES:
            yield Skipped(where, "neither an entity nor a relation")
        elif row["type"] == "relation":
            ends = [str(row.get(name) or "?")[:60] for name in ("from", "relationType", "to")]
            yield Skipped(where, f"a relation ({' '.join(ends)}); links here are between memories")
        else:
            yield from _entity(row, origin, where)


def _entity(row: dict[str, Any], origin: str, where: str) -> Iterator[Incoming | Skipped]:
    name, observations = str(row.get("name") or ""), row.get("observations")
    texts = (
        [text for text in observations if isinstance(text, str)]
        if isinstance(observations, list)
        else []
    )
    if not texts:
        yield Skipped(where, f"the entity {name[:60]!r} has no observations")
    taken: dict[str, int] = {}
    for text in texts[:MOST_OBSERVATIONS]:
        words = slug(" ".join(text.split()[:8]), fallback="observation")
        taken[words] = taken.get(words, 0) + 1
        again = f"-{taken[words]}" if taken[words] > 1 else ""
        fragment = f"{slug(name, fallback='entity')}/{words}{again}"
        tags = (row.get("entityType"),)
        yield note(text, f"{origin}#{fragment}", tags=tags, subject=name[:60])


def _object(line: str) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None
