"""Why is it like this? Links walked back, with all that belongs to an honest answer."""

from collections.abc import Mapping

from tests.graph.webs import memory, u, web
from tests.requirements import requirement

from recollect.graph import why
from recollect.graph.causal import Edges
from recollect.graph.why import Ground, Why, WhyStep
from recollect.ids import UnifiedId
from recollect.records.record import Memory


def walked(start: str, edges: Edges, depth: int = 3) -> tuple[list[tuple[str, int]], bool]:
    steps, more = why.walk(u(start), edges, depth)
    return [(step.there.removeprefix("mem:"), step.depth) for step in steps], more


def steps(start: str, edges: Edges, depth: int = 10) -> list[WhyStep]:
    return why.walk(u(start), edges, depth)[0]


@requirement("graph:why:walks-back")
def test_reasons_are_what_it_derives_from_and_what_caused_it() -> None:
    edges = web(
        """rule derived_from outage
        rule supersedes old-rule
        law caused rule
        follow-up derived_from rule
        rule contradicts habit"""
    )

    assert walked("rule", edges) == ([("outage", 1), ("old-rule", 1), ("law", 1)], False)


@requirement("graph:why:walks-back")
def test_each_step_reads_from_the_effect_to_its_reason_and_keeps_its_evidence() -> None:
    edges = web("rule derived_from outage\nlaw caused rule\nproof supports rule\ntool enabled rule")

    told = {
        step.there.removeprefix("mem:"): (step.relation, step.edge.evidence)
        for step in steps("rule", edges)
    }

    assert told == {
        "outage": ("derived from", "rule says so"),
        "law": ("caused by", "law says so"),
        "proof": ("supported by", "proof says so"),
        "tool": ("enabled by", "tool says so"),
    }


def test_forth_is_the_same_walk_the_other_way() -> None:
    edges = web("rule derived_from outage\nrule caused check\nnew supersedes rule")

    found, _ = why.walk(u("outage"), edges, 3, forth=True)

    assert [(step.there, step.relation, step.depth) for step in found] == [
        (u("rule"), "led to", 1),
        (u("check"), "caused", 2),
        (u("new"), "superseded by", 2),
    ]


def test_the_walk_ends_at_its_depth_and_says_that_there_is_more() -> None:
    edges = web([(f"m{step}", "derived_from", f"m{step + 1}") for step in range(9)])

    assert walked("m0", edges, 2) == ([("m1", 1), ("m2", 2)], True)
    assert walked("m7", edges, 2) == ([("m8", 1), ("m9", 2)], False)


def test_a_circle_is_walked_once_and_named() -> None:
    found = steps("a", web("a derived_from b\nb derived_from c\nc derived_from a"))

    assert [(step.there, step.seen) for step in found] == [
        (u("b"), "first"),
        (u("c"), "first"),
        (u("a"), "circle"),
    ]


def test_a_circle_beside_the_way_is_named_too() -> None:
    """Both are told as reasons of the start before either is found to rest on the other."""
    found = steps("a", web("a derived_from b\na derived_from c\nb derived_from c\nc derived_from b"))

    assert [step.seen for step in found] == ["first", "first", "circle", "circle"]


def test_two_ways_to_one_reason_are_no_circle() -> None:
    found = steps("a", web("a derived_from b\na derived_from c\nb derived_from d\nc derived_from d"))

    assert [(step.there, step.seen) for step in found] == [
        (u("b"), "first"),
        (u("c"), "first"),
        (u("d"), "first"),
        (u("d"), "again"),
    ]


def test_a_memory_with_very_many_reasons_is_cut_off_and_its_own_link_still_told() -> None:
    many = [(f"r{number}", "caused", "it") for number in range(2_000)]

    found, more = why.walk(u("it"), web([*many, ("it", "derived_from", "root")]), 3)

    assert (len(found), more) == (why.MOST_STEPS, True)
    assert found[0].there == u("root")


def test_a_cause_of_two_thousand_things_still_tells_its_own_reason() -> None:
    many = [("it", "caused", f"r{number}") for number in range(2_000)]

    assert walked("it", web([*many, ("it", "derived_from", "root")])) == ([("root", 1)], False)


def test_a_link_to_itself_explains_nothing() -> None:
    assert walked("a", web("a caused a\na derived_from a")) == ([], False)


def explained(start: Memory, edges: Edges, others: Mapping[UnifiedId, Memory]) -> Why:
    return why.explain(start, edges, others.get)


@requirement("graph:why:superseded")
def test_what_superseded_a_memory_is_followed_to_the_one_that_holds_now() -> None:
    edges = web("second supersedes first\nthird supersedes second")

    found = explained(memory("first"), edges, {u("third"): memory("third")})

    assert [(edge.source, edge.target) for edge in found.successors] == [
        (u("second"), u("first")),
        (u("third"), u("second")),
    ]
    assert set(found.known) == {u("third"), u("first")}


def test_successors_in_a_circle_are_told_once() -> None:
    """No command makes one; a merge of two branches can."""
    edges = web("a supersedes b\nb supersedes a")

    assert [edge.source for edge in why.successors(u("a"), edges)] == [u("b")]


def test_what_contradicts_is_told_whichever_of_the_two_says_so() -> None:
    edges = web("a contradicts b\nc contradicts a\nd contradicts e\na contradicts a")

    found = explained(memory("a"), edges, {})

    assert {(edge.source, edge.target) for edge in found.contradictions} == {
        (u("a"), u("b")),
        (u("c"), u("a")),
    }


def test_what_is_gone_or_retired_is_still_told() -> None:
    edges = web("a derived_from old\nold derived_from lost", old="retired", lost="gone")

    assert walked("a", edges) == ([("old", 1), ("lost", 2)], False)


def test_a_memory_tells_the_session_line_file_and_commit_it_comes_from() -> None:
    source = {"kind": "agent", "session": "s-12", "line": 88, "origin": "docs/adr/0007.md"}
    anchors = [
        {"path": "src/auth.py", "digest": "sha256:0", "lines": "3-9", "commit": "a1b2c3d4e5f6a7b8"}
    ]

    assert why.grounds(memory("a", source=source, anchors=anchors)) == [
        Ground("session", "s-12, line 88"),
        Ground("file", "docs/adr/0007.md"),
        Ground("code", "src/auth.py:3-9 at a1b2c3d4e5f6"),
    ]
    assert why.grounds(memory("a")) == []


def test_commits_are_found_in_evidence_and_plain_words_and_numbers_are_none() -> None:
    texts = ["since commit 3f2a91c, see 3f2a91c", "facade and 20261115 are none", None]

    assert why.commits(texts) == ["3f2a91c"]
