"""Links walked back to what led to a memory."""

from typing import Any

from tests.requirements import requirement
from tests.samples import document

from recollect.ids import UnifiedId
from recollect.records.record import Memory
from recollect.server import why


def memory(id: str, *links: tuple[str, str], **fields: Any) -> Memory:
    rows = [{"type": type, "target": f"mem:{target}"} for type, target in links]
    return Memory.parse(document(id=id, links=rows, **fields))


def walked(start: str, memories: list[Memory], depth: int = 3) -> tuple[list[tuple[str, int]], bool]:
    steps, more = why.walk(UnifiedId(f"mem:{start}"), why.edges_of(memories), depth)
    return [(step.reason.removeprefix("mem:"), step.depth) for step in steps], more


@requirement("server:why:walks-back")
def test_reasons_are_what_it_derives_from_and_what_caused_it() -> None:
    memories = [
        memory("rule", ("derived_from", "outage"), ("supersedes", "old-rule")),
        memory("outage"),
        memory("old-rule"),
        memory("law", ("caused", "rule")),
        memory("follow-up", ("derived_from", "rule")),
    ]

    assert walked("rule", memories) == ([("outage", 1), ("old-rule", 1), ("law", 1)], False)


@requirement("server:why:bounded")
def test_the_walk_ends_at_its_depth_and_says_that_there_is_more() -> None:
    chain = [memory(f"m{step}", ("derived_from", f"m{step + 1}")) for step in range(9)]

    assert walked("m0", [*chain, memory("m9")], 2) == ([("m1", 1), ("m2", 2)], True)
    assert walked("m7", [*chain, memory("m9")], 2) == ([("m8", 1), ("m9", 2)], False)


@requirement("server:why:bounded")
def test_a_circle_is_walked_once() -> None:
    circle = [memory("a", ("derived_from", "b")), memory("b", ("derived_from", "a"))]

    assert walked("a", circle, 10) == ([("b", 1), ("a", 2)], False)


@requirement("server:why:bounded")
def test_a_memory_with_very_many_reasons_is_cut_off() -> None:
    many = [memory(f"r{number}", ("caused", "it")) for number in range(why.MOST_STEPS + 5)]

    steps, more = walked("it", [*many, memory("it")])

    assert (len(steps), more) == (why.MOST_STEPS, True)


def test_successors_come_in_the_order_of_time() -> None:
    memories = [
        memory("later", ("supersedes", "old"), created_at="2026-11-17T10:00:00Z"),
        memory("sooner", ("supersedes", "old"), created_at="2026-11-16T10:00:00Z"),
        memory("old"),
    ]

    found = why.successors(UnifiedId("mem:old"), {one.unified_id: one for one in memories})

    assert [one.memory.id for one in found] == ["sooner", "later"]
