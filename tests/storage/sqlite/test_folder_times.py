"""The cheap look: did anything change in the folders?"""

import os
from pathlib import Path

import pytest

from recollect.storage.files.root import MemoryRoot
from recollect.storage.sqlite.index_file import folder_times


@pytest.fixture
def root(tmp_path: Path) -> MemoryRoot:
    (tmp_path / "root" / "decisions").mkdir(parents=True)
    return MemoryRoot(tmp_path / "root", "root")


def stood_still(folder: Path) -> None:
    """Set a folder's time back, so that the next change shows on any clock."""
    os.utime(folder, ns=(1, 1))


def test_making_renaming_and_deleting_a_file_is_noticed(root: MemoryRoot) -> None:
    folder = root.path / "decisions"
    path = folder / "a.json"
    stood_still(folder)
    times = [folder_times([str(root.path)])]
    for change in (
        lambda: path.write_text("{}"),
        lambda: path.rename(folder / "b.json"),
        (folder / "b.json").unlink,
    ):
        stood_still(folder)
        change()
        assert folder_times([str(root.path)]) != times[0]


def test_a_new_folder_is_noticed_and_a_missing_root_is_no_error(
    root: MemoryRoot, tmp_path: Path
) -> None:
    before = folder_times([str(root.path)])
    (root.path / "runbooks").mkdir()

    assert folder_times([str(root.path)]) != before
    assert folder_times([str(tmp_path / "gone")]) == folder_times([str(tmp_path / "gone too")])


def test_a_file_edited_in_place_is_not_noticed_here(root: MemoryRoot) -> None:
    """Why a hit's file is looked at again before it is shown."""
    path = root.path / "decisions" / "a.json"
    path.write_text("{}")
    before = folder_times([str(root.path)])
    path.write_text('{"other": 1}')

    assert folder_times([str(root.path)]) == before
