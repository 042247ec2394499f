"""What a write asks about other memories: by reading them all, and by the index."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.records.near_pairs import NEAR, Said
from tests.requirements import requirement
from tests.samples import draft

from recollect.app.project import Recollect
from recollect.bench.generated_memories import fill
from recollect.ids import MemoryId, UnifiedId
from recollect.records.categories import Category
from recollect.records.lookup import Lookup, ScanLookup
from recollect.records.memories import Repeats, Saved
from recollect.records.record import Link, LinkType
from recollect.storage.files.root import MemoryRoot

MakeLookup = Callable[[Recollect], Lookup]


def by_index(project: Recollect) -> Lookup:
    assert project.memories.lookup is not None
    return project.memories.lookup


LOOKUPS: dict[str, MakeLookup] = {
    "scan": lambda project: ScanLookup(project.memories.store),
    "index": by_index,
}


@pytest.fixture(params=list(LOOKUPS.values()), ids=list(LOOKUPS))
def lookup(request: pytest.FixtureRequest, project: Recollect) -> Lookup:
    make: MakeLookup = request.param
    return make(project)


def save(project: Recollect, title: str, category: Category = Category.DECISION) -> Saved:
    saved = project.memories.save(draft(title, category), allow_repeat=True)
    assert isinstance(saved, Saved)
    return saved


def decision(words: Said) -> dict[str, object]:
    title, context, chosen, reason = words
    return {"title": title, "content": {"context": context, "decision": chosen, "rationale": [reason]}}


def test_a_memory_of_the_same_title_is_similar_whatever_it_says(
    project: Recollect, lookup: Lookup
) -> None:
    old = project.memories.save(draft("getUser is slow", content={"decision": "Cache it."}))
    assert isinstance(old, Saved)
    new = draft("GetUSER is slow!", content={"decision": "Something else entirely."})

    named = lookup.similar(new.as_memory(MemoryId("new"), project.now))

    assert old.stored.memory.id in set(named)


def test_only_memories_of_the_category_are_similar(project: Recollect, lookup: Lookup) -> None:
    decided = save(project, "Restart the worker").stored.memory
    save(project, "Restart the worker", Category.RUNBOOK)

    assert set(lookup.similar(decided)) == {decided.id}


def test_the_active_memories_of_a_category_are_named(project: Recollect, lookup: Lookup) -> None:
    kept, retired = save(project, "Kept").stored.memory.id, save(project, "Retired").stored.memory.id
    save(project, "Another category", Category.RUNBOOK)
    project.memories.retire(retired, "no longer used")

    assert set(lookup.active(Category.DECISION)) == {kept}


def test_the_memories_that_supersede_another_are_named(project: Recollect, lookup: Lookup) -> None:
    old, new = save(project, "Old").stored.memory.id, save(project, "New").stored.memory.id
    save(project, "Unrelated")
    project.memories.link(new, Link(LinkType.SUPERSEDES, UnifiedId(f"mem:{old}")))

    assert set(lookup.superseding(old)) == {new}


def test_what_another_process_wrote_a_moment_ago_is_named(
    project: Recollect, reopen: Callable[[], Recollect], lookup: Lookup
) -> None:
    lookup.prepare()
    written = save(reopen(), "Sign a JWT at login").stored.memory

    assert written.id in set(lookup.similar(written))


@requirement("records:memories:repeats-by-index")
def test_a_near_duplicate_is_noticed_among_many_memories(project: Recollect) -> None:
    fill(project.root, 300)
    for number, (old, _) in enumerate(NEAR):
        project.memories.save(draft(**decision(old), id=f"pair-{number}"), allow_repeat=True)  # type: ignore[arg-type]

    outcomes = [project.memories.save(draft(**decision(new))) for _, new in NEAR]  # type: ignore[arg-type]

    assert [isinstance(outcome, Repeats) for outcome in outcomes] == [True] * len(NEAR)
    named = [outcome.existing.memory.id for outcome in outcomes if isinstance(outcome, Repeats)]
    assert named == [f"pair-{number}" for number in range(len(NEAR))]


@requirement("store:write:touches-what-it-changes")
def test_a_save_does_not_read_the_other_memories(
    project: Recollect, monkeypatch: pytest.MonkeyPatch
) -> None:
    memories = project.memories
    fill(project.root, 600)
    for path in project.root.glob("*/*.json"):
        os.utime(path, (1, 1))  # the content of a file that was just written is compared again
    save(project, "The first save builds the index", Category.RUNBOOK)
    read: list[Path] = []
    plain = MemoryRoot.read

    def counted(root: MemoryRoot, path: Path, folder: int | None = None) -> bytes:
        read.append(path)
        return plain(root, path, folder)

    monkeypatch.setattr(MemoryRoot, "read", counted)

    for category in (Category.DECISION, Category.SESSION_SUMMARY):
        assert isinstance(memories.save(draft(f"A new {category}", category)), Saved)
    memories.link(f"a-new-{Category.DECISION}", Link(LinkType.SUPERSEDES, UnifiedId("mem:decision-0")))

    assert len(set(read)) < 110, "at most fifty candidates, and what is written"


def test_a_save_goes_on_when_the_index_cannot_be_used(project: Recollect, folder: Path) -> None:
    save(project, "Sign a JWT at login")
    state = folder / ".claude" / "memory" / ".recollect"
    for index in state.glob("index.db*"):
        index.write_bytes(b"not a database" * 1000)

    assert isinstance(project.memories.save(draft("Sign a JWT at login")), Repeats)
    assert isinstance(project.memories.save(draft("Another")), Saved | Repeats)
