"""The index as a hook uses it."""

import os
from pathlib import Path

import pytest
from tests.hook.test_prompt import keep
from tests.requirements import requirement
from tests.samples import draft

from recollect.app.project import Recollect
from recollect.hook.index_lookup import is_current, is_drifted, open_index, pointer
from recollect.hook.project_paths import ProjectPaths, find_project
from recollect.ids import UnifiedId
from recollect.retrieval.index import Document, Filters
from recollect.storage.sqlite.index import SqliteIndex


@pytest.fixture
def place(project: Recollect, folder: Path, env: dict[str, str]) -> ProjectPaths:
    found = find_project(str(folder), env)
    assert found is not None
    return found


def only(index: SqliteIndex, id: str) -> Document:
    return index.by_ids([UnifiedId(f"mem:{id}")], Filters())[UnifiedId(f"mem:{id}")]


@requirement("hook:lookup:in-step")
def test_an_index_is_used_as_it_is_until_a_folder_changes(
    project: Recollect, place: ProjectPaths
) -> None:
    keep(project)
    assert open_index(place).size == 1
    path = Path(place.state_file("index.db"))
    before = path.stat().st_mtime_ns, path.stat().st_size

    assert open_index(place).size == 1
    assert (path.stat().st_mtime_ns, path.stat().st_size) == before
    keep(project, "Another memory")
    assert open_index(place).size == 2


def test_a_hit_is_current_while_its_file_is_what_the_index_read(
    project: Recollect, place: ProjectPaths
) -> None:
    saved = keep(project)
    index = open_index(place)
    document = only(index, saved.stored.memory.id)
    assert is_current(document, place, index)
    path = Path(place.folder) / saved.stored.path

    path.write_bytes(path.read_bytes() + b"\n")
    assert not is_current(document, place, index)
    path.unlink()
    assert not is_current(document, place, index)


@requirement("hook:lookup:contained")
def test_a_file_that_leads_out_of_the_root_is_never_current(
    project: Recollect, place: ProjectPaths, tmp_path: Path
) -> None:
    saved = keep(project)
    index = open_index(place)
    document = only(index, saved.stored.memory.id)
    path = Path(place.folder) / saved.stored.path
    outside = tmp_path / "outside.json"
    told = path.stat()
    path.rename(outside)
    path.symlink_to(outside)
    os.utime(outside, ns=(told.st_atime_ns, told.st_mtime_ns))

    assert not is_current(document, place, index)


@requirement("hook:lookup:user")
def test_a_memory_of_the_users_is_found_by_its_whole_path(
    project: Recollect, place: ProjectPaths
) -> None:
    Path(place.user_root).mkdir(parents=True)
    project.user_memories.save(draft("Write the failing test first"))
    index = open_index(place)
    document = only(index, "write-the-failing-test-first")

    assert Path(document.path).is_absolute()
    assert is_current(document, place, index)
    assert pointer(document, place).path == document.path


def test_a_pointer_says_what_a_prompt_needs(project: Recollect, place: ProjectPaths) -> None:
    saved = keep(project)
    told = pointer(only(open_index(place), saved.stored.memory.id), place)

    assert (told.id, told.category, told.title) == (
        saved.stored.memory.id,
        "runbook",
        saved.stored.memory.title,
    )
    assert told.path == saved.stored.path
    assert told.tags == ("oauth", "login")


def test_code_that_changed_or_went_is_drift(project: Recollect, place: ProjectPaths) -> None:
    code = Path(place.folder) / "auth.py"
    code.write_text("one\n")
    anchor = project.worktree.anchor("auth.py", Path(place.folder))
    saved = keep(project, anchors=[anchor])
    document = only(open_index(place), saved.stored.memory.id)

    assert not is_drifted(document, place)
    code.write_text("two\n")
    assert is_drifted(document, place)
    code.unlink()
    assert is_drifted(document, place)
