"""Links that might be missing: proposed with a reason and the evidence, made by nobody but the user. Pure.

Precision over recall: a wrong proposal costs attention, a missing one costs nothing that was there.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations

from recollect.errors import RefusedError
from recollect.graph.cues import MemoryNames, NamedMemory, mentions, spoken
from recollect.ids import UnifiedId
from recollect.records import duplicates, links
from recollect.records.categories import SHAPES
from recollect.records.duplicates import Sketch
from recollect.records.record import Link, LinkType, Memory, Status

_COMMON_FILE = 5  # memories about one file; where more are, sharing it says nothing
_COMMON_WORD = 6  # memories with one word in their titles
_LOOKED_UP = 8  # of the smallest hashes: near duplicates share one of them 998 times in 1,000
_CROWDED = 50  # memories that share a hash; they share a phrase, not a text


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A link that may be missing. `evidence` is what the link would keep."""

    source: UnifiedId
    type: LinkType
    target: UnifiedId
    reason: str
    evidence: str


def suggestions(
    memories: Sequence[Memory], now: datetime, about: UnifiedId | None = None
) -> list[Suggestion]:
    """Links that may be missing between memories in use; those at `about` only when it is given.

    What a text says comes first, then what repeats another, then what shares files; a pair that is
    linked in any way already, or would be refused, is left alone.
    """
    active = (one for one in memories if one.status is Status.ACTIVE)
    named = [NamedMemory(one) for one in active if not one.validity.ended(now)]
    taken = {
        frozenset((memory.unified_id, link.target)) for memory in memories for link in memory.links
    }
    known = {one.id: one.memory for one in named}
    superseding = [memory for memory in memories if links.superseded_by(memory)]
    found: list[Suggestion] = []
    for one in (*_told(named), *_repeated(named), *_beside(named)):
        pair = frozenset((one.source, one.target))
        if pair in taken or (about is not None and about not in pair):
            continue
        if _allowed(one, known[one.source], superseding):
            taken.add(pair)
            found.append(one)
    return found


def _told(named: Sequence[NamedMemory]) -> Iterator[Suggestion]:
    names = MemoryNames(named)
    for holder in named:
        for one in mentions(holder, names):
            reason = f"{holder.memory.id} says so"
            yield Suggestion(one.source.id, one.type, one.target.id, reason, one.quote)


def _repeated(named: Sequence[NamedMemory]) -> Iterator[Suggestion]:
    """Of two that say nearly the same, the newer may replace the older."""
    known = {one.memory.id: one.memory for one in named}
    for one, other in _alike([duplicates.sketch(one.memory) for one in named]):
        likeness = duplicates.likest(one, [other])
        if likeness is None:
            continue
        older, newer = sorted((known[one.id], known[other.id]), key=_age)
        told = "the same text" if likeness.exact else f"{likeness.similarity:.0%} of the same words"
        reason = f"both say nearly the same ({told})"
        yield Suggestion(
            newer.unified_id, LinkType.SUPERSEDES, older.unified_id, reason, f"{told}, said later"
        )


def _alike(sketches: Sequence[Sketch]) -> Iterator[tuple[Sketch, Sketch]]:
    """Pairs that may be near duplicates: those that share one of their smallest hashes."""
    shelves: dict[tuple[str, int], list[int]] = defaultdict(list)
    for place, sketch in enumerate(sketches):
        for gram in sketch.hashes[:_LOOKED_UP]:
            shelves[sketch.category, gram].append(place)
    crowds = (places for places in shelves.values() if 1 < len(places) <= _CROWDED)
    pairs = {pair for places in crowds for pair in combinations(places, 2)}
    return ((sketches[one], sketches[other]) for one, other in sorted(pairs))


def _beside(named: Sequence[NamedMemory]) -> Iterator[Suggestion]:
    """Of two kinds of memory about the same files and the same subject, the later may rest on the earlier."""
    about: dict[str, list[NamedMemory]] = defaultdict(list)
    for one in named:
        for file in sorted(one.files):
            about[file].append(one)
    common = Counter(word for one in named for word in one.title)
    for file, some in sorted(about.items()):
        if len(some) > _COMMON_FILE:
            continue
        for one, other in combinations(some, 2):
            if one.memory.category is other.memory.category:
                continue
            shared = [word for word in one.title & other.title if common[word] <= _COMMON_WORD]
            if shared:
                older, newer = sorted((one.memory, other.memory), key=_age)
                reason = f"both are about {file} and {spoken(min(shared), newer.title)!r}"
                evidence = f"both are about {file}"
                yield Suggestion(
                    newer.unified_id, LinkType.DERIVED_FROM, older.unified_id, reason, evidence
                )


def _age(memory: Memory) -> tuple[object, ...]:
    """The earlier first; of the same moment, the kind that others rest on."""
    return memory.created_at, SHAPES[memory.category].priority, memory.id


def _allowed(one: Suggestion, holder: Memory, superseding: Sequence[Memory]) -> bool:
    """Whether `recollect link` would make it, given what supersedes others already."""
    if one.type is not LinkType.SUPERSEDES:
        return True
    edge = Link(one.type, one.target, one.evidence)
    try:
        links.check_supersession(links.linked(holder, edge, holder.updated_at), superseding)
    except RefusedError:
        return False
    return True
