import errno
import os
from pathlib import Path

import pytest
from tests.requirements import requirement

from recollect.errors import InvalidJsonError, OutsideRootError
from recollect.ids import MemoryId
from recollect.records.categories import FOLDERS, Category
from recollect.records.json_format import MAX_BYTES
from recollect.storage.files.root import MemoryRoot
from recollect.storage.project import locate


@pytest.fixture
def root(tmp_path: Path) -> MemoryRoot:
    path = tmp_path / "memory"
    for folder in FOLDERS:
        (path / folder).mkdir(parents=True)
    return MemoryRoot(path, ".claude/memory")


def test_a_memory_lives_in_the_folder_of_its_category(root: MemoryRoot) -> None:
    path = root.file(Category.TECH_DEBT, MemoryId("two-parsers"))

    assert path == root.path / "tech-debt" / "two-parsers.json"
    assert root.show(path) == ".claude/memory/tech-debt/two-parsers.json"


@requirement("store:root:ids-contained")
@pytest.mark.parametrize(
    "id", ["../x", "../../etc/passwd", "/etc/passwd", "a/b", ".", "..", "", "a\0", "A"]
)
def test_an_id_that_is_no_slug_names_no_file(root: MemoryRoot, id: str) -> None:
    with pytest.raises(OutsideRootError, match="is not a memory id"):
        root.file(Category.DECISION, MemoryId(id))


@requirement("store:root:symlinks-not-followed")
def test_a_folder_that_is_a_symlink_out_of_the_root_is_not_written_to(
    root: MemoryRoot, tmp_path: Path
) -> None:
    (root.path / "decisions").rmdir()
    (root.path / "decisions").symlink_to(tmp_path)

    for make in (False, True):
        with (
            pytest.raises(OutsideRootError, match=r"'\.claude/memory/decisions' is a symlink"),
            root.opened(root.path / "decisions", make=make),
        ):
            pass
    assert [category for category, _, _ in root.names()] == [
        category for category in Category if category is not Category.DECISION
    ]


def test_a_folder_that_is_a_symlink_inside_the_root_is_fine(root: MemoryRoot) -> None:
    (root.path / "decisions").rmdir()
    (root.path / "decisions").symlink_to("runbooks")
    (root.path / "runbooks" / "x.json").write_bytes(b"{}")

    with root.opened(root.path / "decisions") as folder:
        assert os.listdir(folder) == ["x.json"]
    assert root.read(root.file(Category.DECISION, MemoryId("x"))) == b"{}"


def test_a_root_that_is_itself_reached_by_a_symlink_is_fine(root: MemoryRoot, tmp_path: Path) -> None:
    (root.path / "decisions" / "x.json").write_bytes(b"{}")
    (tmp_path / "way").symlink_to(root.path)
    other = locate(tmp_path, str(tmp_path / "way")).root

    assert other.read(other.path / "decisions" / "x.json") == b"{}"


def test_a_file_that_is_a_symlink_out_of_the_root_is_not_read(root: MemoryRoot, tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_bytes(b"{}")
    path = root.path / "decisions" / "x.json"
    path.symlink_to(tmp_path / "secret.json")

    with pytest.raises(InvalidJsonError, match=r"decisions/x\.json: a symlink that leaves"):
        root.read(path)


def test_a_sibling_whose_name_begins_like_the_root_is_outside(root: MemoryRoot, tmp_path: Path) -> None:
    (tmp_path / "memory-too").mkdir()
    (tmp_path / "memory-too" / "x.json").write_bytes(b"{}")
    path = root.path / "decisions" / "x.json"
    path.symlink_to(tmp_path / "memory-too" / "x.json")

    with pytest.raises(InvalidJsonError, match="leaves the memory root"):
        root.read(path)


@pytest.mark.parametrize("kind", ["folder", "fifo", "dangling", "loop", "missing", "large"])
def test_what_is_no_plain_file_of_a_memorys_size_is_refused_and_named(
    root: MemoryRoot, kind: str
) -> None:
    path = root.path / "decisions" / "x.json"
    match kind:
        case "folder":
            path.mkdir()
        case "fifo":
            os.mkfifo(path)
        case "dangling":
            path.symlink_to("nowhere.json")
        case "loop":
            path.symlink_to("x.json")
        case "large":
            path.touch()
            os.truncate(path, MAX_BYTES + 1)
        case _:
            pass

    with pytest.raises(InvalidJsonError, match=r"\.claude/memory/decisions/x\.json"):
        root.read(path)


def test_only_json_files_that_are_not_hidden_are_memories(root: MemoryRoot) -> None:
    for name in ("b.json", "a.json", ".c.json", "notes.md", "d.json~", ".a.json.1.recollect-tmp"):
        (root.path / "decisions" / name).touch()
    (root.path / "runbooks" / "r.json").touch()
    (root.path / "other").mkdir()
    (root.path / "other" / "x.json").touch()

    assert [(category, path.name) for category, path in root.files()] == [
        (Category.DECISION, "a.json"),
        (Category.DECISION, "b.json"),
        (Category.RUNBOOK, "r.json"),
    ]


def test_a_listing_tells_time_and_size_and_follows_links_that_lead_somewhere(root: MemoryRoot) -> None:
    folder = root.path / "decisions"
    (folder / "a.json").write_text("{}")
    (folder / "b.json").symlink_to("a.json")
    (folder / "c.json").symlink_to("nowhere")
    (folder / ".d.json").touch()
    os.utime(folder / "a.json", ns=(1, 2_000_000_003))

    listed = {place: sorted(files) for place in root.folders() if (files := root.listing(place))}

    assert listed == {folder: [("a.json", 2_000_000_003, 2), ("b.json", 2_000_000_003, 2)]}


def test_folders_that_are_missing_or_files_hold_no_memories(tmp_path: Path) -> None:
    (tmp_path / "decisions").touch()

    assert list(MemoryRoot(tmp_path, "x").files()) == []
    root = MemoryRoot(tmp_path, "x")
    assert [root.listing(folder) for folder in root.folders()] == [[]] * 6


def test_an_id_is_found_whatever_its_category(root: MemoryRoot) -> None:
    (root.path / "runbooks" / "x.json").touch()

    assert root.find(MemoryId("x")) == root.path / "runbooks" / "x.json"
    assert root.find(MemoryId("y")) is None


@requirement("trust:folders:swapped")
def test_a_link_that_is_swapped_while_it_is_resolved_leads_nowhere(
    root: MemoryRoot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two system calls the link has become a folder again, which cannot be read as a link."""
    (root.path / "decisions").rmdir()
    (root.path / "decisions").symlink_to(root.path / "runbooks")

    def no_link(*_arguments: object, **_options: object) -> str:
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(os, "readlink", no_link)

    with pytest.raises(OutsideRootError), root.opened(root.path / "decisions"):
        pass
