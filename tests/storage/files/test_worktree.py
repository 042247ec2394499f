import os
from pathlib import Path

import pytest
from tests.requirements import requirement
from tests.samples import document

from recollect.errors import NotFoundError, RefusedError
from recollect.records.anchors import AnchorState
from recollect.records.record import Anchor, Memory
from recollect.storage.files.worktree import WorkTree


@pytest.fixture
def tree(tmp_path: Path) -> WorkTree:
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "a.py").write_text("one\ntwo\nthree\n")
    return WorkTree(folder)


def anchored(tree: WorkTree, place: str, start: str = ".") -> Anchor:
    row = tree.anchor(place, tree.folder / start)
    return Memory.parse(document(anchors=[row])).anchors[0]


def test_an_anchor_is_named_from_where_one_stands_and_kept_relative_to_the_project(
    tree: WorkTree,
) -> None:
    assert anchored(tree, "a.py:2", "src").path == "src/a.py"
    assert anchored(tree, "src/../src/a.py").path == "src/a.py"
    assert anchored(tree, str(tree.folder / "src" / "a.py")).path == "src/a.py"


def test_the_verdict_follows_the_file(tree: WorkTree) -> None:
    whole, span = anchored(tree, "src/a.py"), anchored(tree, "src/a.py:2-3")
    path = tree.folder / "src" / "a.py"
    assert tree.verdict(whole) is tree.verdict(span) is AnchorState.FRESH

    path.write_text("zero\none\ntwo\nthree\n")
    assert tree.verdict(whole) is AnchorState.DRIFTED
    assert tree.verdict(span) is AnchorState.FRESH

    path.write_bytes(b"one\r\ntwo\r\nthree\r\n")
    assert tree.verdict(whole) is AnchorState.FRESH

    path.unlink()
    assert tree.verdict(whole) is tree.verdict(span) is AnchorState.ORPHANED


@requirement("store:worktree:contained")
@pytest.mark.parametrize("place", ["../secret", "/etc/hostname", "link/secret", "src/way"])
def test_nothing_outside_the_project_is_anchored_or_read(tree: WorkTree, place: str) -> None:
    (tree.folder.parent / "secret").write_text("secret")
    (tree.folder / "link").symlink_to(tree.folder.parent)
    (tree.folder / "src" / "way").symlink_to(tree.folder.parent / "secret")

    with pytest.raises(RefusedError, match="is outside the project"):
        tree.anchor(place, tree.folder)
    assert tree.verdict(Anchor(place, "sha256:x")) is AnchorState.ORPHANED


def test_a_file_that_is_not_there_is_not_anchored(tree: WorkTree) -> None:
    with pytest.raises(NotFoundError, match="there is no such file"):
        tree.anchor("src/b.py", tree.folder)


def test_a_span_past_the_end_is_not_anchored(tree: WorkTree) -> None:
    with pytest.raises(RefusedError, match="the file has 3 lines"):
        tree.anchor("src/a.py:3-4", tree.folder)


@pytest.mark.parametrize("path", ["a\0b", "src", "fifo", "x" * 5000])
def test_an_anchor_on_what_cannot_be_read_is_orphaned_and_breaks_nothing(
    tree: WorkTree, path: str
) -> None:
    os.mkfifo(tree.folder / "fifo")

    assert tree.verdict(Anchor(path, "sha256:x")) is AnchorState.ORPHANED
