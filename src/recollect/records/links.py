"""Links between memories: what each type means, which exclude each other, what `supersedes` does. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from recollect import clock
from recollect.errors import RefusedError
from recollect.ids import MemoryId, UnifiedId, as_memory, parse_unified
from recollect.records.json_format import Json, JsonObject
from recollect.records.lifecycle import changed
from recollect.records.record import Link, LinkType, Memory

_CLOSED = "Superseded by "  # how a memory notes that another ended its validity
_REOPENED = "No longer superseded"


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a link says, which of its ends explains the other, and how each speaks of the other."""

    says: str
    reason: Literal["holder", "target"] | None
    back: str  # what the explained end is to its reason
    forth: str  # and the reason to it


# A link is held by one memory, its holder, and points to its target. Every walk over links asks here.
MEANINGS: dict[LinkType, Meaning] = {
    LinkType.CAUSED: Meaning("the holder brought the target about", "holder", "caused by", "caused"),
    LinkType.ENABLED: Meaning(
        "the holder made the target possible, and did not force it", "holder", "enabled by", "enabled"
    ),
    LinkType.SUPERSEDES: Meaning(
        "the holder replaces the target, whose validity ends where the holder's begins",
        "target",
        "supersedes",
        "superseded by",
    ),
    LinkType.CONTRADICTS: Meaning(
        "the two cannot both hold; neither explains the other", None, "contradicts", "contradicts"
    ),
    LinkType.DERIVED_FROM: Meaning(
        "the holder follows from the target", "target", "derived from", "led to"
    ),
    LinkType.SUPPORTS: Meaning(
        "the holder is evidence for the target", "holder", "supported by", "supports"
    ),
    LinkType.IMPLEMENTS: Meaning(
        "the holder does what the target, a skill, describes", "target", "implements", "implemented by"
    ),
}
_OPPOSED = {LinkType.SUPPORTS: LinkType.CONTRADICTS, LinkType.CONTRADICTS: LinkType.SUPPORTS}


def linked(memory: Memory, link: Link, now: datetime) -> Memory:
    """`memory` with one more edge; the same edge again only renews its evidence."""
    if link.target == memory.unified_id:
        raise RefusedError(f"memory {memory.id!r} cannot link to itself.")
    row: JsonObject = {"type": link.type.value, "target": link.target}
    if link.evidence:
        row["evidence"] = link.evidence
    rows = memory.rows("links")
    for position, other in enumerate(rows):
        if _is(other, link.type, link.target):
            if not link.evidence or other.get("evidence") == link.evidence:
                return memory
            rows[position] = other | row
            break
    else:
        rows.append(row)
    return changed(memory, {"links": list[Json](rows)}, f"Linked: {link.type} {link.target}", now)


def unlinked(memory: Memory, type: LinkType, target: UnifiedId, now: datetime) -> Memory:
    """`memory` without that edge."""
    rows = memory.rows("links")
    kept = [row for row in rows if not _is(row, type, target)]
    if len(kept) == len(rows):
        raise RefusedError(f"memory {memory.id!r} has no link '{type} {target}'.")
    fields: JsonObject = {"links": list[Json](kept) or None}
    return changed(memory, fields, f"Unlinked: {type} {target}", now)


def _is(row: JsonObject, type: LinkType, target: UnifiedId) -> bool:
    return row["type"] == type.value and parse_unified(str(row["target"])) == target


def superseded_by(memory: Memory) -> list[MemoryId]:
    """The memories that `memory` supersedes, each once."""
    targets = (as_memory(link.target) for link in memory.links if link.type is LinkType.SUPERSEDES)
    return list(dict.fromkeys(target for target in targets if target is not None))


def closed(older: Memory, newer: Memory, now: datetime) -> Memory:
    """`older` with its validity ended where `newer` begins; as it was if it has ended, or ends before that.

    An end of its own that was still to come is noted, for `reopened`.
    """
    end, own = clock.to_text(max(newer.valid_from, older.valid_from)), older.validity.end
    summary = f"{_CLOSED}{newer.unified_id}"
    if own is None:
        return changed(older, {"valid_to": end}, summary, now)
    if own <= end or older.validity.ended(now):
        return older
    return changed(
        older, {"valid_to": end}, summary, now, field="valid_to", old_value=own, new_value=end
    )


def reopened(older: Memory, newer: Memory, others: Iterable[Memory], now: datetime) -> Memory:
    """`older` valid again now that `newer` leaves it, unless one of `others` still supersedes it.

    An end that no supersession brought about stays, or is put back.
    """
    if older.valid_to is None or any(older.id in superseded_by(other) for other in others):
        return older
    noted = [row for row in _since_open(older) if str(row["summary"]).startswith(_CLOSED)]
    if not noted and older.valid_to != max(newer.valid_from, older.valid_from):
        return older
    own = noted[0].get("old_value") if noted else None
    return changed(older, {"valid_to": own}, _REOPENED, now)


def _since_open(memory: Memory) -> list[JsonObject]:
    """The changes since the memory was last made valid again."""
    rows = memory.rows("changes")
    again = [place for place, row in enumerate(rows, start=1) if row["summary"] == _REOPENED]
    return rows[again[-1] :] if again else rows


def check_agreement(holder: Memory, link: Link, target: Memory | None) -> None:
    """Refuse a `supports` link between memories that contradict each other."""
    opposed = _OPPOSED.get(link.type)
    ends = [(holder, link.target), *([(target, holder.unified_id)] if target else [])]
    for memory, other in ends:
        if any(known.type is opposed and known.target == other for known in memory.links):
            raise RefusedError(
                f"memory {memory.id!r} has the link '{opposed} {other}': one cannot support what it "
                f"contradicts. `recollect unlink {memory.id} {opposed} {other}` removes that link first."
            )


def check_supersession(newer: Memory, memories: Iterable[Memory]) -> None:
    """Refuse a cycle of `supersedes` links."""
    edges = {memory.id: superseded_by(memory) for memory in memories} | {newer.id: superseded_by(newer)}
    trail: list[MemoryId] = list(edges[newer.id])
    seen: set[MemoryId] = set()
    while trail:
        current = trail.pop()
        if current == newer.id:
            raise RefusedError(
                f"memory {newer.id!r} would supersede itself through its own links; "
                "unlink the older 'supersedes' first."
            )
        if current not in seen:
            seen.add(current)
            trail += edges.get(current, [])
