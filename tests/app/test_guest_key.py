"""The key of suspended code."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from recollect.app.guest_key import KEY_NAME, guest_key
from recollect.errors import UnwritableError


def test_the_key_is_private_and_stays(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    first = guest_key(folder)

    assert guest_key(folder) == first
    assert len(first) == 32
    assert stat.S_IMODE((folder / KEY_NAME).stat().st_mode) == 0o600
    assert [file.name for file in folder.iterdir()] == [KEY_NAME]


def test_processes_that_make_it_at_once_agree(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        keys = set(threads.map(lambda _: guest_key(tmp_path / "data"), range(16)))
    assert len(keys) == 1


@pytest.mark.parametrize("content", [b"", b"short", b"x" * 40])
def test_a_file_that_is_no_key_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / KEY_NAME).write_bytes(content)
    with pytest.raises(UnwritableError, match="not a key of Recollect"):
        guest_key(tmp_path)


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_bytes(b"x" * 32)
    (tmp_path / KEY_NAME).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UnwritableError):
        guest_key(tmp_path)
