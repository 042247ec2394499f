import subprocess
from pathlib import Path

import pytest

from recollect.storage import git_driver
from recollect.storage.files import setup
from recollect.storage.files.store import FileStore
from recollect.storage.project import Project, project_at


@pytest.fixture
def new(tmp_path: Path) -> Project:
    return project_at(tmp_path)


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_installing_twice_changes_nothing_the_second_time(new: Project) -> None:
    first = setup.install(new, FileStore(new.root))
    before = tree(new.folder)
    second = setup.install(new, FileStore(new.root))

    assert {step.action for step in first} <= {"created", "skipped"}
    assert {step.action for step in second} <= {"kept", "skipped"}
    assert tree(new.folder) == before


def test_a_root_that_is_there_is_adopted_with_its_memories(new: Project) -> None:
    old = new.root.path / "decisions" / "old.json"
    old.parent.mkdir(parents=True)
    old.write_bytes(b"{}")

    setup.install(new, FileStore(new.root))

    assert old.read_bytes() == b"{}"


def test_a_checkout_is_told_how_to_merge_and_forgets_it_again(new: Project) -> None:
    subprocess.run(["git", "init", "-q", str(new.folder)], check=True)
    assert not git_driver.is_installed(new.folder)

    setup.install(new, FileStore(new.root))
    assert git_driver.is_installed(new.folder)

    setup.uninstall(new)
    assert not git_driver.is_installed(new.folder)


def test_uninstalling_leaves_the_memories_and_what_was_changed_by_hand(new: Project) -> None:
    setup.install(new, FileStore(new.root))
    memory = new.root.path / "decisions" / "mine.json"
    memory.parent.mkdir()
    memory.write_bytes(b"{}")
    attributes = new.root.path / ".gitattributes"
    attributes.write_text("* mine\n")

    steps = {step.what: step.action for step in setup.uninstall(new)}

    assert memory.exists()
    assert attributes.read_text() == "* mine\n"
    assert steps[".claude/memory/.gitattributes"] == "kept"
    assert steps[".claude/memory/.recollect"] == "removed"
    assert not new.root.state.exists()


def test_versions_that_lost_a_race_are_not_thrown_away(new: Project) -> None:
    setup.install(new, FileStore(new.root))
    lost = new.root.state / "rejected" / "x-1.json"
    lost.parent.mkdir()
    lost.write_bytes(b"{}")

    steps = {step.what: step.action for step in setup.uninstall(new)}

    assert steps[".claude/memory/.recollect"] == "kept"
    assert lost.exists()
