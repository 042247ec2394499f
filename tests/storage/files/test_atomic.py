import errno
import os
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.requirements import requirement

from recollect.errors import StoreError
from recollect.storage.files import atomic


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_written_whole_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    atomic.write(tmp_path / "a", b"one", "a")
    atomic.write(tmp_path / "a", b"two" * 100_000, "a")

    assert (tmp_path / "a").read_bytes() == b"two" * 100_000
    assert names(tmp_path) == ["a"]


def test_the_mode_of_a_private_file_is_kept(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one")
    (tmp_path / "a").chmod(0o600)

    atomic.write(tmp_path / "a", b"two", "a")

    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o600


def test_a_symlink_is_replaced_and_what_it_points_to_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"theirs")
    (tmp_path / "a").symlink_to("target")

    atomic.write(tmp_path / "a", b"ours", "a")

    assert (tmp_path / "target").read_bytes() == b"theirs"
    assert not (tmp_path / "a").is_symlink()


def test_a_leftover_of_the_same_name_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / f".a.{os.getpid()}-{threading.get_ident()}{atomic.TEMP_SUFFIX}").write_bytes(b"half")

    atomic.write(tmp_path / "a", b"whole", "a")

    assert names(tmp_path) == ["a"]


def test_threads_of_one_process_that_write_the_same_file_do_not_disturb_each_other(
    tmp_path: Path,
) -> None:
    with ThreadPoolExecutor(8) as threads:
        for future in [threads.submit(atomic.write, tmp_path / "a", b"whole", "a") for _ in range(200)]:
            future.result(timeout=60)

    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a").read_bytes() == b"whole"


@requirement("store:atomic:failure-changes-nothing")
@pytest.mark.parametrize("step", ["open", "write", "fsync", "replace"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_a_step_that_fails_leaves_the_old_file_and_no_temp_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, code: int
) -> None:
    (tmp_path / "a").write_bytes(b"old")

    def fails(*_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, step, fails)
    with pytest.raises(
        StoreError, match=rf"cannot write 'shown/a': {os.strerror(code)}; .*nothing was changed"
    ):
        atomic.write(tmp_path / "a", b"new", "shown/a")
    monkeypatch.undo()

    assert (tmp_path / "a").read_bytes() == b"old"
    assert names(tmp_path) == ["a"]


def test_a_short_write_is_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: whole(handle, bytes(data[:7])))

    atomic.write(tmp_path / "a", b"0123456789" * 3, "a")

    assert (tmp_path / "a").read_bytes() == b"0123456789" * 3


def test_a_folder_that_cannot_be_synced_is_reported_as_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = os.fsync

    def fails(handle: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(errno.EIO, "Input/output error")
        whole(handle)

    monkeypatch.setattr(os, "fsync", fails)

    with pytest.raises(StoreError, match="'a' is written, but a power cut may undo it"):
        atomic.write(tmp_path / "a", b"new", "a")

    assert (tmp_path / "a").read_bytes() == b"new"


def test_a_folder_in_the_place_of_the_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()

    with pytest.raises(StoreError, match=r"'a': .* there is a folder where the file should be"):
        atomic.write(tmp_path / "a", b"new", "a")

    assert names(tmp_path) == ["a"]


def test_a_file_in_the_place_of_the_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "d").write_bytes(b"")

    with pytest.raises(StoreError, match="there is a file where a folder should be"):
        atomic.write(tmp_path / "d" / "a", b"new", "d/a")
