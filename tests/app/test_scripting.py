"""The Python API, as a script uses it."""

from pathlib import Path

import pytest
from tests.requirements import requirement
from tests.samples import CONTENT

import recollect
from recollect.errors import NoProjectError
from recollect.records.categories import Category

STABLE = ["open", "recall", "remember", "save", "search", "why"]


@pytest.fixture
def memory(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> recollect.ProjectMemory:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return recollect.open(folder)


@requirement("house:python:names")
def test_the_names_a_script_needs_are_there_and_stay() -> None:
    assert set(STABLE) <= set(recollect.__all__)
    assert all(callable(getattr(recollect.ProjectMemory, name)) for name in STABLE if name != "open")


@requirement("house:python:works")
def test_what_a_script_saves_it_finds_recalls_and_explains(memory: recollect.ProjectMemory) -> None:
    old = memory.save("decision", "Sign a JWT at login", CONTENT[Category.DECISION], tags=["auth"])
    new = memory.remember("We use opaque sessions at login", supersedes=[old.id])

    assert (old.action, new.superseded) == ("created", (old.id,))
    assert memory.search("opaque sessions")[0].id == new.id
    assert memory.get(new.id).title == "We use opaque sessions at login"
    assert [reason.id for reason in memory.why(new.id).reasons] == [old.id]
    assert memory.why(new.id).memory.id == new.id
    assert all(hit.id != old.id for hit in memory.recall("how do we sign in at login?"))


def test_a_duplicate_and_a_contradiction_are_results_and_not_written(
    memory: recollect.ProjectMemory,
) -> None:
    first = memory.remember("Indent with tabs")
    again, opposite = memory.remember("Indent with tabs."), memory.remember("Indent with spaces")

    assert (again.action, again.id, again.is_written) == ("duplicate", first.id, False)
    assert (opposite.action, opposite.id, opposite.is_written) == ("contradiction", first.id, False)


def test_functions_open_the_project_of_a_folder(memory: recollect.ProjectMemory, folder: Path) -> None:
    saved = recollect.remember("Never commit to main", folder=folder)

    assert recollect.search("commit", folder=folder)[0].id == saved.id
    assert recollect.why(saved.id, folder=folder).memory.id == saved.id
    recollect.save("preference", "Tabs", CONTENT[Category.PREFERENCE], tags=["style"], folder=folder)
    assert recollect.recall("hello", folder=folder) == []


def test_the_users_own_memories_need_no_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))

    mine = recollect.open(tmp_path, user=True)

    assert mine.remember("Please answer in German").is_written
    with pytest.raises(NoProjectError):
        recollect.open(tmp_path)
