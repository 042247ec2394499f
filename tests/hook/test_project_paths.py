"""Where a hook finds itself."""

import json
from pathlib import Path

import pytest

from recollect.errors import InvalidConfigError
from recollect.hook.project_paths import find_project


def test_the_nearest_memory_above_a_folder_is_found(folder: Path, env: dict[str, str]) -> None:
    inner = folder / "src" / "größe and more"
    inner.mkdir(parents=True)

    for start in (inner, inner / "not" / "there", folder):
        place = find_project(str(start), env)
        assert place is not None
        assert (place.folder, place.root) == (str(folder), str(folder / ".claude/memory"))
        assert place.shown == ".claude/memory"


def test_a_project_without_a_memory_is_no_error(tmp_path: Path, env: dict[str, str]) -> None:
    assert find_project(str(tmp_path), env) is None


def test_a_memory_whose_state_leads_elsewhere_is_left_alone(
    folder: Path, tmp_path: Path, env: dict[str, str]
) -> None:
    """A repository could bring such a link, and have a hook write where it likes."""
    (folder / ".claude/memory/.recollect").symlink_to(tmp_path)

    assert find_project(str(folder), env) is None


def test_the_search_ends_at_the_top_of_the_checkout(folder: Path, env: dict[str, str]) -> None:
    inner = folder / "vendor" / "lib"
    (inner / ".git").mkdir(parents=True)

    assert find_project(str(inner), env) is None


def test_an_absolute_root_serves_any_folder(tmp_path: Path, env: dict[str, str]) -> None:
    root = tmp_path / "elsewhere"
    env = env | {"RECOLLECT_ROOT": str(root)}

    assert find_project(str(tmp_path), env) is None
    root.mkdir()
    place = find_project(str(tmp_path), env)
    assert place is not None
    assert (place.folder, place.root) == (str(tmp_path), str(root))


def test_the_projects_settings_count_and_broken_ones_are_an_error(
    folder: Path, env: dict[str, str]
) -> None:
    file = folder / ".claude/memory/memory-config.json"
    file.write_text(json.dumps({"retrieval": {"max_inject": 1}}))

    place = find_project(str(folder), env)
    assert place is not None
    assert place.config.retrieval.max_inject == 1
    file.write_text("{")
    with pytest.raises(InvalidConfigError):
        find_project(str(folder), env)
