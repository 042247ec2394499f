"""Links that may be missing: proposed where the text leaves no doubt, and not where it does."""

import json
from typing import Any

import pytest
from tests.graph.webs import u
from tests.samples import CONTENT, NOW, document

from recollect.bench import linked_project, sample_project
from recollect.graph.suggest import Suggestion, suggestions
from recollect.records.categories import Category
from recollect.records.record import LinkType, Memory

JANUARY, MARCH, MAY = (f"2026-0{month}-01T00:00:00Z" for month in (1, 3, 5))


def memory(
    id: str,
    title: str,
    text: str = "",
    *,
    at: str = MARCH,
    category: Category = Category.DECISION,
    **fields: Any,
) -> Memory:
    """A memory whose text is `text` and little else."""
    content = dict(CONTENT[category])
    field = {Category.DECISION: "decision", Category.RUNBOOK: "trigger"}.get(category, "rule")
    content[field] = text or f"Do as {id} says."
    if category is Category.DECISION:
        content |= {"context": f"What {id} is about.", "rationale": [f"So {id} wants it."]}
    if category is Category.RUNBOOK:
        content |= {"steps": [f"Look into {id}."], "verification": f"{id} is fine."}
    told = {"tags": ["queue"], "created_at": at, "updated_at": at} | fields
    return Memory.parse(document(category, id=id, title=title, content=content, **told))


def proposed(*memories: Memory, about: str | None = None) -> list[tuple[str, str, str]]:
    found = suggestions(memories, NOW, u(about) if about else None)
    return [(s.source.removeprefix("mem:"), s.type.value, s.target.removeprefix("mem:")) for s in found]


OLD = memory("redis-queue", "Jobs wait in Redis", at=JANUARY)


@pytest.mark.parametrize(
    ("text", "type"),
    [
        ("Write rows instead of jobs in Redis.", "supersedes"),
        ("This replaces redis-queue.", "supersedes"),
        ("It supersedes the decision that jobs wait in Redis.", "supersedes"),
        ("We do it because of redis-queue, which lost jobs.", "derived_from"),
        ("It is at odds with redis-queue.", "contradicts"),
        ("Write rows rather than keeping jobs waiting in Redis.", "supersedes"),
        ("We no longer keep jobs in Redis.", "supersedes"),
        ("Prompted by the jobs in Redis, we write rows.", "derived_from"),
    ],
)
def test_what_a_text_says_of_another_memory_is_proposed_with_its_sentence(text: str, type: str) -> None:
    new = memory("table-queue", "Rows wait in a table", f"Something first. {text} Something last.")

    (found,) = suggestions([OLD, new], NOW)

    assert (found.source, found.type.value, found.target) == (u("table-queue"), type, u("redis-queue"))
    assert found.evidence == text
    assert found.reason == "table-queue says so"


def test_what_says_that_it_was_superseded_proposes_the_link_at_the_newer() -> None:
    old = memory("redis-queue", "Jobs wait in Redis", "Superseded by table-queue.", at=JANUARY)
    new = memory("table-queue", "Rows wait in a table")

    assert proposed(old, new) == [("table-queue", "supersedes", "redis-queue")]


def test_a_decision_record_is_known_by_its_number() -> None:
    def adr(number: int, title: str, text: str = "", **fields: Any) -> Memory:
        origin = {"kind": "import", "origin": f"docs/adr/{number:04}-x.md"}
        return memory(f"adr-about-{number}", title, text, source=origin, **fields)

    old = adr(7, "Keep jobs in memory", at=JANUARY)
    new = adr(12, "Write rows", "Status: supersedes ADR-0007.")

    assert proposed(old, new, adr(8, "Another one")) == [("adr-about-12", "supersedes", "adr-about-7")]


@pytest.mark.parametrize(
    "text",
    [
        "This would replace nothing; use rows instead of columns.",
        "It should not be used instead of jobs in Redis.",
        "If it replaces redis-queue, tell operations.",
        "Rows are nicer. Jobs wait in Redis elsewhere.",
        "Instead of waiting, go on.",
    ],
)
def test_no_link_is_proposed_where_a_text_denies_it_or_means_something_else(text: str) -> None:
    assert proposed(OLD, memory("table-queue", "Rows wait in a table", text)) == []


def test_a_doing_alone_names_no_memory() -> None:
    new = memory("table-queue", "Rows are read in order", "Go on instead of waiting.")

    assert proposed(OLD, new) == []


def test_no_link_is_proposed_where_two_memories_could_be_meant() -> None:
    other = memory("redis-cache", "Pages wait in Redis", at=JANUARY)
    new = memory("table-queue", "Rows wait in a table", "Rows, instead of Redis.")

    assert proposed(OLD, new) == [("table-queue", "supersedes", "redis-queue")]
    assert proposed(OLD, other, new) == []


@pytest.mark.parametrize(
    "old",
    [
        memory("redis-queue", "Jobs wait in Redis", at=MAY),
        memory("redis-queue", "Jobs wait in Redis", at=JANUARY, tags=["caching"]),
        memory("redis-queue", "Jobs wait in Redis", at=JANUARY, category=Category.RUNBOOK),
        memory("redis-queue", "Jobs wait in Redis", at=JANUARY, record_status="retired"),
        memory("redis-queue", "Jobs wait in Redis", at=JANUARY, valid_to=MAY),
    ],
    ids=["newer", "elsewhere", "another kind", "retired", "over"],
)
def test_what_cannot_have_been_replaced_is_not_proposed(old: Memory) -> None:
    new = memory("table-queue", "Rows wait in a table", "Rows, instead of jobs in Redis.")

    assert proposed(old, new) == []


def test_what_ends_later_can_still_be_replaced() -> None:
    old = memory("redis-queue", "Jobs wait in Redis", at=JANUARY, valid_to="2030-01-01")
    new = memory("table-queue", "Rows wait in a table", "Rows, instead of jobs in Redis.")

    assert proposed(old, new) == [("table-queue", "supersedes", "redis-queue")]


def test_of_two_that_say_nearly_the_same_the_newer_may_replace_the_older() -> None:
    text = "Retry the partner's payment call three times with a growing pause, then park the order."
    old = memory("retry-old", "Retry payment calls", text, at=JANUARY)
    new = memory("retry-new", "Retry payment calls", text + " Tell support.")

    (found,) = suggestions([new, old], NOW)

    assert (found.source, found.type, found.target) == (
        u("retry-new"),
        LinkType.SUPERSEDES,
        u("retry-old"),
    )
    assert "nearly the same" in found.reason


def test_two_kinds_about_one_file_and_subject_are_proposed_and_mere_neighbours_are_not() -> None:
    decision = memory("outbox", "Events leave by an outbox", at=JANUARY, related_files=["relay.py"])
    runbook = memory(
        "outbox-stuck", "The outbox is stuck", category=Category.RUNBOOK, related_files=["relay.py"]
    )
    neighbour = memory(
        "lint", "Formatting of imports", category=Category.RUNBOOK, related_files=["relay.py"]
    )

    assert proposed(decision, runbook, neighbour) == [("outbox-stuck", "derived_from", "outbox")]


def test_a_file_that_many_memories_are_about_says_nothing() -> None:
    crowd = [
        memory(f"m{number}", f"Outbox part {number}", at=JANUARY, related_files=["relay.py"])
        for number in range(5)
    ]
    runbook = memory(
        "stuck", "The outbox is stuck", category=Category.RUNBOOK, related_files=["relay.py"]
    )

    assert not [found for found in proposed(*crowd, runbook) if found[1] == "derived_from"]


def test_what_is_linked_already_in_any_way_is_left_alone() -> None:
    link = [{"type": "contradicts", "target": "mem:table-queue"}]
    old = memory("redis-queue", "Jobs wait in Redis", at=JANUARY, links=link)
    new = memory("table-queue", "Rows wait in a table", "Rows, instead of jobs in Redis.")

    assert proposed(old, new) == []


def test_a_supersession_that_would_close_a_circle_is_not_proposed() -> None:
    middle = memory("middle", "Middle", links=[{"type": "supersedes", "target": "mem:table-queue"}])
    old = memory(
        "redis-queue", "Jobs wait in Redis", links=[{"type": "supersedes", "target": "mem:middle"}]
    )
    new = memory("table-queue", "Rows wait in a table", "This replaces redis-queue.")

    assert proposed(old, middle, new) == []


def test_only_links_at_a_memory_are_proposed_when_one_is_named() -> None:
    new = memory("table-queue", "Rows wait in a table", "Rows, instead of jobs in Redis.")

    assert proposed(OLD, new, about="redis-queue") == proposed(OLD, new)
    assert proposed(OLD, new, memory("x", "Else"), about="x") == []


def test_on_the_hand_made_set_every_proposal_is_one_that_a_person_would_make() -> None:
    """Judged by hand. Sixty memories, and nothing else is proposed."""
    lines = (sample_project.FOLDER / "memories.jsonl").read_text("utf-8").splitlines()

    assert set(proposed(*(Memory.parse(json.loads(line)) for line in lines))) == {
        ("outbox-relay-stuck", "derived_from", "outbox-for-domain-events"),
        ("python-311-until-lambda-moves", "derived_from", "images-resized-on-lambda"),
        ("session-dramatiq-cutover", "derived_from", "celery-replaced-by-dramatiq"),
        ("typesense-reindex-from-scratch", "derived_from", "typesense-for-product-search"),
    }


def test_on_a_set_whose_links_are_known_nothing_wrong_is_proposed() -> None:
    """Its links taken out, whatever is proposed must be one of them."""
    records = linked_project.memories()
    real = {frozenset((one.unified_id, link.target)) for one in records for link in one.links}
    bare = [one.with_fields({"links": None, "valid_to": None}) for one in records]

    wrong = [s for s in suggestions(bare, NOW) if frozenset((s.source, s.target)) not in real]

    assert wrong == []


def test_a_suggestion_holds_what_its_link_would() -> None:
    (found,) = suggestions([OLD, memory("new", "Rows", "This replaces redis-queue.")], NOW)

    assert isinstance(found, Suggestion)
    assert found.evidence == "This replaces redis-queue."
