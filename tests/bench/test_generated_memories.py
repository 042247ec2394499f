"""Made-up memories to measure with."""

from itertools import islice
from pathlib import Path

import pytest

from recollect.bench.generated_memories import documents, fill, generated_project


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*.json")}


def test_the_same_seed_makes_the_same_memories_and_another_makes_others(tmp_path: Path) -> None:
    for name, seed in {"one": 7, "same": 7, "other": 8}.items():
        fill(tmp_path / name, 30, seed)

    one = files(tmp_path / "one")
    assert len(one) == 30
    assert one == files(tmp_path / "same")
    assert one != files(tmp_path / "other")


def test_every_made_up_memory_is_a_valid_one(tmp_path: Path) -> None:
    scan = generated_project(tmp_path, 60).memories.scan()

    assert scan.broken == ()
    assert len({stored.memory.id for stored in scan.stored}) == 60
    assert {stored.memory.category.value for stored in scan.stored} == {
        "decision",
        "runbook",
        "preference",
    }


def test_documents_are_the_same_memories_without_files(tmp_path: Path) -> None:
    scan = generated_project(tmp_path, 30).memories.scan()

    kept = {(f"mem:{stored.memory.id}", stored.memory.title) for stored in scan.stored}
    assert {(document.id, document.title) for document in documents(30)} == kept


def test_documents_are_made_one_at_a_time() -> None:
    assert len(list(islice(documents(10**9), 3))) == 3


def test_a_made_up_project_stays_apart_from_the_users_own(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever keeps memories at a fixed place must not find made-up ones among them."""
    own = tmp_path / "own"
    own.mkdir()
    monkeypatch.setenv("RECOLLECT_MEMORY_ROOT", str(own))
    monkeypatch.setenv("RECOLLECT_MAX_INJECT", "not even a number")

    recollect = generated_project(tmp_path / "made", 3)
    recollect.space.store.rebuild_inventory()

    assert recollect.project.root.path == tmp_path / "made" / ".claude" / "memory"
    assert list(own.iterdir()) == []
    assert not home.exists()
