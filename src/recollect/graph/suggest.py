"""Suggest links that may be missing, each with a reason and evidence. Only users add links. Pure.

Precision over recall: a wrong suggestion costs attention, a missing one costs nothing.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations

from recollect.errors import RefusedError
from recollect.graph.cues import MemoryNames, NamedMemory, mentions, unstemmed
from recollect.ids import UnifiedId
from recollect.records import duplicates, links
from recollect.records.categories import SHAPES
from recollect.records.duplicates import Sketch
from recollect.records.record import Link, LinkType, Memory, Status

_COMMON_FILE = 5  # memories about one file; with more, sharing it says little
_COMMON_WORD = 6  # memories that have one word in their titles
_LOOKED_UP = 8  # smallest hashes: near duplicates share one of them 998 times in 1,000
_CROWDED = 50  # memories that share a hash; with more, they share a phrase, not a text


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A link that may be missing. `evidence` is the text that the link would store."""

    source: UnifiedId
    type: LinkType
    target: UnifiedId
    reason: str
    evidence: str


def suggestions(
    memories: Sequence[Memory], now: datetime, about: UnifiedId | None = None
) -> list[Suggestion]:
    """Links that may be missing between memories in use; with `about`, only links of that memory.

    Links that a text states come first, then near duplicates, then memories that share files. Pairs that
    are linked already, and links that would be refused, are left out.
    """
    active = (memory for memory in memories if memory.status is Status.ACTIVE)
    named = [NamedMemory(memory) for memory in active if not memory.validity.has_ended(now)]
    linked = {
        frozenset((memory.unified_id, link.target)) for memory in memories for link in memory.links
    }
    by_id = {memory.id: memory.memory for memory in named}
    superseding = [memory for memory in memories if links.superseded_ids(memory)]
    missing: list[Suggestion] = []
    for suggestion in (*_stated(named), *_near_duplicates(named), *_sharing_files(named)):
        pair = frozenset((suggestion.source, suggestion.target))
        if pair in linked or (about is not None and about not in pair):
            continue
        if _allowed(suggestion, by_id[suggestion.source], superseding):
            linked.add(pair)
            missing.append(suggestion)
    return missing


def _stated(named: Sequence[NamedMemory]) -> Iterator[Suggestion]:
    """Links that the text of a memory states."""
    names = MemoryNames(named)
    for holder in named:
        for mention in mentions(holder, names):
            reason = f"{holder.memory.id} says so"
            ends = mention.source.id, mention.type, mention.target.id
            yield Suggestion(*ends, reason, mention.quote)


def _near_duplicates(named: Sequence[NamedMemory]) -> Iterator[Suggestion]:
    """Of two near duplicates, the newer may supersede the older."""
    by_id = {memory.memory.id: memory.memory for memory in named}
    for sketch, other in _pairs_with_common_hash(
        [duplicates.sketch(memory.memory) for memory in named]
    ):
        likeness = duplicates.find_duplicate(sketch, [other])
        if likeness is None:
            continue
        older, newer = sorted((by_id[sketch.id], by_id[other.id]), key=_age)
        overlap = (
            "the same text" if likeness.exact else f"{likeness.similarity:.0%} of the words in common"
        )
        reason = f"both say nearly the same ({overlap})"
        ends = newer.unified_id, LinkType.SUPERSEDES, older.unified_id
        yield Suggestion(*ends, reason, f"{overlap}, written later")


def _pairs_with_common_hash(sketches: Sequence[Sketch]) -> Iterator[tuple[Sketch, Sketch]]:
    """Pairs that may be near duplicates: they share one of their smallest hashes."""
    buckets: dict[tuple[str, int], list[int]] = defaultdict(list)
    for position, sketch in enumerate(sketches):
        for gram in sketch.hashes[:_LOOKED_UP]:
            buckets[sketch.category, gram].append(position)
    small = (positions for positions in buckets.values() if 1 < len(positions) <= _CROWDED)
    pairs = {pair for positions in small for pair in combinations(positions, 2)}
    return ((sketches[first], sketches[second]) for first, second in sorted(pairs))


def _sharing_files(named: Sequence[NamedMemory]) -> Iterator[Suggestion]:
    """Of two memories with a file and title words in common, the later may derive from the earlier.

    They must differ in category.
    """
    by_file: dict[str, list[NamedMemory]] = defaultdict(list)
    for memory in named:
        for file in sorted(memory.files):
            by_file[file].append(memory)
    counts = Counter(word for memory in named for word in memory.title)
    for file, about_file in sorted(by_file.items()):
        if len(about_file) > _COMMON_FILE:
            continue
        for first, second in combinations(about_file, 2):
            if first.memory.category is second.memory.category:
                continue
            shared = [word for word in first.title & second.title if counts[word] <= _COMMON_WORD]
            if shared:
                older, newer = sorted((first.memory, second.memory), key=_age)
                reason = f"both are about {file} and {unstemmed(min(shared), newer.title)!r}"
                evidence = f"both are about {file}"
                yield Suggestion(
                    newer.unified_id, LinkType.DERIVED_FROM, older.unified_id, reason, evidence
                )


def _age(memory: Memory) -> tuple[object, ...]:
    """Sort key: oldest first; ties by the priority of the category."""
    return memory.created_at, SHAPES[memory.category].priority, memory.id


def _allowed(suggestion: Suggestion, holder: Memory, superseding: Sequence[Memory]) -> bool:
    """Whether `recollect link` would accept it beside the existing supersessions."""
    if suggestion.type is not LinkType.SUPERSEDES:
        return True
    edge = Link(suggestion.type, suggestion.target, suggestion.evidence)
    try:
        links.check_supersession(links.add_link(holder, edge, holder.updated_at), superseding)
    except RefusedError:
        return False
    return True
