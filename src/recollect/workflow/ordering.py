"""An order without cycles: of each cycle the least certain dependency is left out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from recollect.workflow.dependencies import Dependency
from recollect.workflow.field_match import FieldMatch


@dataclass(frozen=True, slots=True)
class BrokenCycle:
    """A dependency that was left out, and the cycle that it would have closed, in order."""

    dependency: Dependency
    cycle: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ordering:
    """The dependencies that stand, those that were left out, and what fills which input of which target."""

    dependencies: tuple[Dependency, ...]
    broken: tuple[BrokenCycle, ...]
    filled: Mapping[tuple[str, str], tuple[str, FieldMatch]]


def ordered(dependencies: Iterable[Dependency]) -> Ordering:
    """Take the dependencies, the most certain first, and leave out each that would close a cycle.

    All others of that cycle were at least as certain. Equal certainty is decided by id, so that the order of
    the input does not matter. A dependency that could only fill inputs which a surer one fills is not used.
    """
    standing: list[Dependency] = []
    broken: list[BrokenCycle] = []
    following: dict[str, list[str]] = {}
    filled: dict[tuple[str, str], tuple[str, FieldMatch]] = {}
    for dependency in sorted(
        dependencies, key=lambda each: (-each.certainty, each.source, each.target)
    ):
        source, target = dependency.source, dependency.target
        new = [match for match in dependency.feeds if (target, match.parameter) not in filled]
        if dependency.only_feeds and not new:
            continue
        if path := _path(following, target, source):
            broken.append(BrokenCycle(dependency, tuple(path)))
            continue
        standing.append(dependency)
        following.setdefault(source, []).append(target)
        filled |= {(target, match.parameter): (source, match) for match in new}
    return Ordering(tuple(standing), tuple(broken), filled)


def order_only(ordering: Ordering) -> dict[str, tuple[str, ...]]:
    """By target: what it must wait for besides what fills its inputs and what they wait for."""
    reading: dict[str, set[str]] = {}
    for (target, _), (source, _) in ordering.filled.items():
        reading.setdefault(target, set()).add(source)
    following: dict[str, list[str]] = {}
    for each in ordering.dependencies:
        following.setdefault(each.source, []).append(each.target)
    waits: dict[str, tuple[str, ...]] = {}
    for each in sorted(ordering.dependencies, key=lambda each: (each.target, each.source)):
        is_longer = any(
            _path(following, other, each.target)
            for other in following[each.source]
            if other != each.target
        )
        if each.source not in reading.get(each.target, ()) and not is_longer:
            waits[each.target] = (*waits.get(each.target, ()), each.source)
    return waits


def topological(ids: Sequence[str], dependencies: Sequence[Dependency]) -> list[str]:
    """The ids so that each comes after what it waits for, otherwise in the order they are listed."""
    waiting = {id: {each.source for each in dependencies if each.target == id} & set(ids) for id in ids}
    result: list[str] = []
    while waiting:
        following = next(id for id in ids if id in waiting and not waiting[id])
        result.append(following)
        del waiting[following]
        for sources in waiting.values():
            sources.discard(following)
    return result


def _path(following: Mapping[str, Sequence[str]], start: str, end: str) -> list[str]:
    """A shortest way from one id to another; nothing if there is none."""
    before: dict[str, str] = {start: ""}
    level = [start]
    while level and end not in before:
        below = []
        for id in level:
            for other in sorted(following.get(id, ())):
                if other not in before:
                    before[other] = id
                    below.append(other)
        level = below
    path: list[str] = []
    at = end if end in before else ""
    while at:
        path.append(at)
        at = before[at]
    return path[::-1]
