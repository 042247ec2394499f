from datetime import timedelta

import pytest
from tests.requirements import requirement
from tests.samples import NOW, document

from recollect.errors import RefusedError
from recollect.ids import MemoryId, parse_unified
from recollect.records.links import (
    MEANINGS,
    add_link,
    check_agreement,
    check_supersession,
    end_validity,
    remove_link,
    reopen_validity,
    superseded_ids,
)
from recollect.records.record import Link, LinkType, Memory

LATER = NOW + timedelta(days=1)


def memory(id: str, *supersedes: str, **fields: object) -> Memory:
    links = [{"type": "supersedes", "target": f"mem:{other}"} for other in supersedes]
    return Memory.parse(document(id=id, links=links, **fields))  # type: ignore[arg-type]


def link(target: str, evidence: str | None = None, type: LinkType = LinkType.SUPPORTS) -> Link:
    return Link(type, parse_unified(target), evidence)


def test_a_link_is_added_with_its_evidence_and_noted() -> None:
    after = add_link(memory("a"), link("skill:deploy", "seen"), LATER)

    assert after.links == (link("skill:deploy", "seen"),)
    assert after.rows("changes")[-1]["summary"] == "Linked: supports skill:deploy"


def test_the_same_link_again_renews_its_evidence_and_nothing_else() -> None:
    once = add_link(memory("a"), link("mem:b", "seen"), NOW)

    assert add_link(once, link("mem:b", "seen"), LATER) is once
    assert add_link(once, link("mem:b"), LATER) is once
    assert add_link(once, link("mem:b", "measured"), LATER).links == (link("mem:b", "measured"),)


def test_a_target_written_without_its_prefix_is_the_same_target() -> None:
    bare = Memory.parse(document(id="a", links=[{"type": "supports", "target": "b"}]))

    assert add_link(bare, link("mem:b"), LATER) is bare
    assert remove_link(bare, LinkType.SUPPORTS, parse_unified("mem:b"), LATER).links == ()


def test_another_type_to_the_same_target_is_another_link() -> None:
    both = add_link(add_link(memory("a"), link("b"), NOW), link("b", type=LinkType.CAUSED), NOW)

    assert [edge.type for edge in both.links] == [LinkType.SUPPORTS, LinkType.CAUSED]


def test_keys_of_a_link_that_we_do_not_know_survive_its_renewal() -> None:
    rows = [{"type": "supports", "target": "mem:b", "weight": 3}]
    after = add_link(Memory.parse(document(id="a", links=rows)), link("b", "seen"), NOW)

    assert after.rows("links") == [
        {"type": "supports", "target": "mem:b", "weight": 3, "evidence": "seen"}
    ]


def test_a_memory_does_not_link_to_itself() -> None:
    with pytest.raises(RefusedError, match="cannot link to itself"):
        add_link(memory("a"), link("a"), NOW)


def test_removing_the_last_link_removes_the_field() -> None:
    after = remove_link(memory("a", "b"), LinkType.SUPERSEDES, parse_unified("b"), NOW)

    assert "links" not in after.document


def test_removing_a_link_that_is_not_there_is_refused() -> None:
    with pytest.raises(RefusedError, match="has no link 'supports mem:b'"):
        remove_link(memory("a", "b"), LinkType.SUPPORTS, parse_unified("b"), NOW)


@requirement("records:links:supersedes-closes")
def test_the_older_memory_ends_where_the_newer_begins() -> None:
    older = memory("old", valid_from="2026-01-01")

    ended = end_validity(older, memory("new", "old", valid_from="2026-06-01"), LATER)

    assert ended.document["valid_to"] == "2026-06-01T00:00:00Z"
    assert ended.rows("changes")[-1]["summary"] == "Superseded by mem:new"


def test_a_newer_memory_that_began_before_the_older_does_not_make_it_end_before_it_began() -> None:
    older = memory("old", valid_from="2026-06-01")

    assert (
        end_validity(older, memory("new", "old", valid_from="2026-01-01"), LATER).valid_to
        == older.valid_from
    )


def test_what_has_ended_is_not_ended_again() -> None:
    older = memory("old", valid_to="2026-02-01")

    assert end_validity(older, memory("new", "old"), LATER) is older


def test_an_older_memory_is_valid_again_when_nothing_supersedes_it() -> None:
    ended = end_validity(memory("old"), memory("new", "old"), NOW)

    new = memory("new")
    assert reopen_validity(ended, new, [new], NOW).valid_to is None
    assert reopen_validity(ended, new, [new, memory("third", "old")], NOW) is ended


def test_an_end_that_is_still_to_come_gives_way_to_a_supersession_and_is_put_back_after_it() -> None:
    older, new = memory("old", valid_to="2030-01-01T00:00:00Z"), memory("new", "old")
    third = memory("third", "old", valid_from="2028-01-01")

    later = end_validity(older, third, LATER)
    ended = end_validity(later, new, LATER)

    assert later.document["valid_to"] == "2028-01-01T00:00:00Z"
    assert ended.valid_to == new.valid_from
    assert end_validity(ended, third, LATER) is ended
    assert reopen_validity(ended, new, [memory("new"), third], LATER) is ended
    again = reopen_validity(ended, third, [memory("new"), memory("third")], LATER)
    assert again.document["valid_to"] == "2030-01-01T00:00:00Z"
    assert reopen_validity(end_validity(again, new, LATER), new, [], LATER).valid_to == older.valid_to


def test_an_end_before_the_newer_one_begins_stays() -> None:
    older = memory("old", valid_to="2027-01-01")

    assert end_validity(older, memory("new", "old", valid_from="2028-01-01"), LATER) is older


def test_a_memory_superseded_twice_over_is_named_once() -> None:
    rows = [
        {"type": "supersedes", "target": "mem:b", "evidence": "one"},
        {"type": "supersedes", "target": "b", "evidence": "two"},
        {"type": "supersedes", "target": "skill:x"},
    ]

    assert superseded_ids(Memory.parse(document(id="a", links=rows))) == [MemoryId("b")]


@requirement("records:links:no-circle")
@pytest.mark.parametrize(
    "others", [[memory("b", "a")], [memory("b", "c"), memory("c", "a")], [memory("b", "c", "a")]]
)
def test_a_circle_of_supersession_is_refused(others: list[Memory]) -> None:
    with pytest.raises(RefusedError, match="would supersede itself"):
        check_supersession(memory("a", "b"), others)


def test_a_memory_that_names_itself_is_a_circle_of_one() -> None:
    with pytest.raises(RefusedError):
        check_supersession(memory("a", "a"), [])


def test_a_chain_and_a_circle_elsewhere_are_no_concern_of_a_new_memory() -> None:
    check_supersession(memory("a", "b"), [memory("b", "c"), memory("c")])
    check_supersession(memory("a", "x"), [memory("x", "y"), memory("y", "x")])


def test_every_type_of_link_says_what_it_means_and_which_end_explains_the_other() -> None:
    assert MEANINGS.keys() == set(LinkType)
    explains = {type.value: meaning.reason for type, meaning in MEANINGS.items()}
    assert explains == {
        "caused": "holder",
        "enabled": "holder",
        "supersedes": "target",
        "contradicts": None,
        "derived_from": "target",
        "supports": "holder",
        "implements": "target",
    }


def test_supporting_and_contradicting_exclude_each_other_from_either_end() -> None:
    def holding(id: str, type: str, target: str) -> Memory:
        return Memory.parse(document(id=id, links=[{"type": type, "target": target}]))

    supports = Link(LinkType.SUPPORTS, parse_unified("b"))
    with pytest.raises(RefusedError, match="recollect unlink a contradicts mem:b"):
        check_agreement(holding("a", "contradicts", "b"), supports, memory("b"))
    with pytest.raises(RefusedError, match="recollect unlink b contradicts mem:a"):
        check_agreement(memory("a"), supports, holding("b", "contradicts", "a"))

    check_agreement(holding("a", "contradicts", "c"), supports, memory("b"))
    check_agreement(holding("a", "contradicts", "b"), Link(LinkType.CAUSED, parse_unified("b")), None)


def test_an_end_that_no_supersession_brought_about_stays() -> None:
    new = memory("new")

    ended = memory("old", valid_to="2027-01-01")
    assert reopen_validity(ended, new, [new], NOW) is ended
    by_hand = memory("old", valid_to=new.document["created_at"])
    assert reopen_validity(by_hand, new, [new], NOW).valid_to is None
