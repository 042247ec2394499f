"""What is kept between two saves of one process: enough to be quick, little, and never past a change."""

import time
import tracemalloc
from pathlib import Path

import pytest
from tests.requirements import requirement
from tests.samples import draft

from recollect.app.project import Recollect
from recollect.bench.generated_memories import fill
from recollect.records.categories import Category
from recollect.records.memories import Memories, Repeats, Saved


@pytest.fixture(autouse=True)
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is brand new is read again to be sure of it: let none be."""
    now = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: now() + 10**10)


@pytest.fixture
def memories(project: Recollect) -> Memories:
    return project.memories


def save(memories: Memories, title: str, number: int) -> Saved:
    saved = memories.save(draft(title, content={"decision": f"Take road {number} of {title!r}."}))
    assert isinstance(saved, Saved)
    return saved


def test_a_file_changed_by_hand_between_two_saves_is_seen(memories: Memories, folder: Path) -> None:
    place = folder / save(memories, "First", 1).stored.path
    save(memories, "Second", 2)
    place.write_bytes(place.read_bytes().replace(b"Take road 1 of", b"Take road 7 of"))

    again = memories.save(draft("First", content={"decision": "Take road 7 of 'First'."}))

    assert isinstance(again, Repeats)
    assert again.exact


def test_a_repeat_is_noticed_whatever_was_saved_in_between(memories: Memories) -> None:
    """Each save looks only at its own category, and those of the others are not forgotten."""
    kinds = (Category.DECISION, Category.RUNBOOK, Category.CONSTRAINT)
    first = [memories.save(draft(f"About {kind}", kind)) for kind in kinds]

    again = [memories.save(draft(f"About {kind}", kind)) for kind in kinds * 2]

    assert all(isinstance(saved, Saved) for saved in first)
    assert all(isinstance(saved, Repeats) and saved.exact for saved in again)


@requirement("records:memories:small")
def test_what_is_kept_of_each_memory_is_a_few_kilobytes(memories: Memories, folder: Path) -> None:
    """A server lives for days over ten thousand of them."""
    count = 300
    fill(folder / ".claude" / "memory", count)
    tracemalloc.start()
    try:
        for kind in (Category.DECISION, Category.RUNBOOK, Category.PREFERENCE):
            memories.save(draft(f"A {kind}", kind))
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert kept / count < 7_000
