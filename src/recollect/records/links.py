"""Links between memories: the meaning of each type, conflicting types, the effect of `supersedes`. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from graphlib import CycleError, TopologicalSorter
from typing import Literal

from recollect import clock
from recollect.errors import RefusedError
from recollect.ids import MemoryId, UnifiedId, as_memory, parse_unified
from recollect.records.in_force import Successor, is_never_in_force
from recollect.records.json_format import Json, JsonObject
from recollect.records.lifecycle import changed
from recollect.records.record import Link, LinkType, Memory

_CLOSED = "Superseded by "  # the change entry of a memory whose validity another one ended
_REOPENED = "No longer superseded"
MAX_CYCLES = 20  # that a check reports; more are found when these are settled


@dataclass(frozen=True, slots=True)
class Meaning:
    """The meaning of a link type: a sentence, the end that explains the other, and a phrase per direction."""

    says: str
    reason: Literal["holder", "target"] | None
    back: str  # from the explained end to its reason
    forth: str  # from the reason to the explained end


# One memory, the holder, stores a link; it points to the target.
MEANINGS: dict[LinkType, Meaning] = {
    LinkType.CAUSED: Meaning("the memory caused the target", "holder", "caused by", "caused"),
    LinkType.ENABLED: Meaning(
        "the memory made the target possible without forcing it", "holder", "enabled by", "enabled"
    ),
    LinkType.SUPERSEDES: Meaning(
        "the memory replaces the target, whose validity ends when the memory's begins",
        "target",
        "supersedes",
        "superseded by",
    ),
    LinkType.CONTRADICTS: Meaning(
        "the two cannot both be true; neither explains the other", None, "contradicts", "contradicts"
    ),
    LinkType.DERIVED_FROM: Meaning(
        "the memory follows from the target", "target", "derived from", "led to"
    ),
    LinkType.SUPPORTS: Meaning(
        "the memory is evidence for the target", "holder", "supported by", "supports"
    ),
    LinkType.IMPLEMENTS: Meaning(
        "the memory does what the target, a skill, describes", "target", "implements", "implemented by"
    ),
}
_OPPOSED = {LinkType.SUPPORTS: LinkType.CONTRADICTS, LinkType.CONTRADICTS: LinkType.SUPPORTS}


def add_link(memory: Memory, link: Link, now: datetime) -> Memory:
    """`memory` with one more edge; adding an existing edge only updates its evidence."""
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


def remove_link(memory: Memory, type: LinkType, target: UnifiedId, now: datetime) -> Memory:
    """`memory` without that edge."""
    rows = memory.rows("links")
    others = [row for row in rows if not _is(row, type, target)]
    if len(others) == len(rows):
        raise RefusedError(f"memory {memory.id!r} has no link '{type} {target}'.")
    fields: JsonObject = {"links": list[Json](others) or None}
    return changed(memory, fields, f"Unlinked: {type} {target}", now)


def _is(row: JsonObject, type: LinkType, target: UnifiedId) -> bool:
    return row["type"] == type.value and parse_unified(str(row["target"])) == target


def superseded_ids(memory: Memory) -> list[MemoryId]:
    """The memories that `memory` supersedes, each once."""
    targets = (as_memory(link.target) for link in memory.links if link.type is LinkType.SUPERSEDES)
    return list(dict.fromkeys(target for target in targets if target is not None))


def successors(memories: Iterable[Memory]) -> Mapping[MemoryId, tuple[Successor, ...]]:
    """For each memory that others supersede, those others. A proposed or rejected decision is none."""
    result: dict[MemoryId, list[Successor]] = defaultdict(list)
    for memory in memories:
        if memory.links and not is_never_in_force(memory):
            for older in superseded_ids(memory):
                result[older].append((memory.id, clock.to_text(memory.valid_from)))
    return {older: tuple(sorted(newer)) for older, newer in result.items()}


def closed_by(memory: Memory) -> tuple[Successor, ...]:
    """The memories that ended the validity of `memory`, as its own history notes them."""
    end = memory.validity.end
    noted = [str(row["summary"]) for row in _since_open(memory)] if end else []
    prefix = f"{_CLOSED}mem:"
    ids = [summary.removeprefix(prefix) for summary in noted if summary.startswith(prefix)]
    return tuple((id, end or "") for id in dict.fromkeys(ids))


def end_validity(older: Memory, newer: Memory, now: datetime) -> Memory:
    """`older` with an end of its validity where `newer` begins; unchanged if it ends before that anyway.

    The change entry stores a planned later end, so that `reopen_validity` can restore it. A decision that is
    only proposed, or rejected, ends nothing.
    """
    if is_never_in_force(newer):
        return older
    end, own = clock.to_text(max(newer.valid_from, older.valid_from)), older.validity.end
    summary = f"{_CLOSED}{newer.unified_id}"
    if own is None:
        return changed(older, {"valid_to": end}, summary, now)
    if own <= end or older.validity.has_ended(now):
        return older
    return changed(
        older, {"valid_to": end}, summary, now, field="valid_to", old_value=own, new_value=end
    )


def reopen_validity(older: Memory, newer: Memory, others: Iterable[Memory], now: datetime) -> Memory:
    """Undo `end_validity` after `newer` dropped its link, unless one of `others` supersedes `older`.

    An end that does not come from a supersession stays, or is restored.
    """
    if older.valid_to is None or any(older.id in superseded_ids(other) for other in others):
        return older
    entries = [row for row in _since_open(older) if str(row["summary"]).startswith(_CLOSED)]
    if not entries and older.valid_to != max(newer.valid_from, older.valid_from):
        return older
    own = entries[0].get("old_value") if entries else None
    return changed(older, {"valid_to": own}, _REOPENED, now)


def _since_open(memory: Memory) -> list[JsonObject]:
    """The changes since the memory was last made valid again."""
    rows = memory.rows("changes")
    starts = [place for place, row in enumerate(rows, start=1) if row["summary"] == _REOPENED]
    return rows[starts[-1] :] if starts else rows


def check_agreement(holder: Memory, link: Link, target: Memory | None) -> None:
    """Refuse a `supports` link between memories that contradict each other."""
    opposed = _OPPOSED.get(link.type)
    ends = [(holder, link.target), *([(target, holder.unified_id)] if target else [])]
    for memory, other in ends:
        if any(known.type is opposed and known.target == other for known in memory.links):
            raise RefusedError(
                f"memory {memory.id!r} has the link '{opposed} {other}': a memory cannot support what it "
                f"contradicts. `recollect unlink {memory.id} {opposed} {other}` removes that link first."
            )


def check_supersession(newer: Memory, memories: Iterable[Memory]) -> None:
    """Refuse a cycle of `supersedes` links."""
    edges = {memory.id: superseded_ids(memory) for memory in memories} | {
        newer.id: superseded_ids(newer)
    }
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


def supersession_cycles(memories: Iterable[Memory]) -> list[tuple[MemoryId, ...]]:
    """Memories that supersede each other, directly or through others; MAX_CYCLES such groups at most.

    Each write refuses such a cycle; two branches can make one that neither has. Of cycles that share a
    memory one is returned, and the next when that is settled.
    """
    edges = {memory.id: superseded_ids(memory) for memory in memories}
    cycles: list[tuple[MemoryId, ...]] = []
    while len(cycles) < MAX_CYCLES:
        try:
            TopologicalSorter(edges).prepare()
        except CycleError as error:
            cycle: list[MemoryId] = error.args[1][1:]  # its first member is also its last
            cycles.append(tuple(sorted(cycle)))
            edges = {id: targets for id, targets in edges.items() if id not in cycle}
        else:
            break
    return cycles


def mutual_supersession(memory: Memory) -> list[MemoryId]:
    """The memories that `memory` supersedes although they ended its own validity, by its history."""
    closed_by = {str(row["summary"]).removeprefix(_CLOSED) for row in _since_open(memory)}
    return [id for id in superseded_ids(memory) if f"mem:{id}" in closed_by]
