"""Results as files: private, complete or absent, and never read through a link."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from recollect.errors import NotFoundError, StoreError
from recollect.gateway.vault.content import BinaryPart, TextPart
from recollect.storage.files.vault import FileVault

WRITER = """
import sys
from pathlib import Path
from recollect.gateway.vault.content import TextPart
from recollect.storage.files.vault import FileVault
vault = FileVault(Path(sys.argv[1]))
while True:
    print(vault.put("s:t", [TextPart("x" * 200_000), TextPart("y" * 200_000)]).handle, flush=True)
"""


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_only_the_owner_may_read_a_result(tmp_path: Path) -> None:
    os.umask(old := os.umask(0))
    try:
        os.umask(0)
        stored = FileVault(tmp_path).put("s:t", [TextPart("x"), BinaryPart(b"x", "image/png")])
    finally:
        os.umask(old)

    folder = tmp_path / "vault" / stored.handle
    assert [mode(path) for path in (folder.parent, folder)] == [0o700, 0o700]
    assert {path.name: mode(path) for path in folder.iterdir()} == {
        "1.txt": 0o600,
        "2.png": 0o600,
        "result.json": 0o600,
    }


def test_a_writer_that_is_killed_leaves_only_complete_results(tmp_path: Path) -> None:
    for _ in range(5):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True
        ) as writer:
            assert writer.stdout
            writer.stdout.readline()
            writer.send_signal(signal.SIGKILL)
    vault = FileVault(tmp_path)

    names = [path.name for path in (tmp_path / "vault").iterdir()]
    results = [vault.get(name) for name in names if not name.startswith(".")]

    assert len(results) >= 5
    assert all([part.size for part in result.parts] == [200_000, 200_000] for result in results)


def test_what_a_killed_writer_left_is_removed_after_an_hour(tmp_path: Path) -> None:
    vault = FileVault(tmp_path)
    vault.put("s:t", [TextPart("x")])
    left = tmp_path / "vault" / f".r{'a' * 24}.recollect-tmp"
    left.mkdir()
    (left / "1.txt").write_text("half")

    vault.put("s:t", [TextPart("x")])
    assert left.exists()
    os.utime(left, (0, 0))
    vault.put("s:t", [TextPart("x")])

    assert not left.exists()


def test_two_writers_that_prune_at_once_lose_nothing(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    handles = []
    for writer in writers:
        assert writer.stdout
        handles += [writer.stdout.readline().strip() for _ in range(5)]
    for writer in writers:
        writer.kill()
        writer.communicate()

    assert [FileVault(tmp_path).get(handle).tool for handle in handles] == ["s:t"] * 10


def test_a_write_that_fails_at_any_call_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = FileVault(tmp_path)
    vault.put("s:t", [TextPart("x")])
    before = sorted(path.name for path in (tmp_path / "vault").iterdir())

    def full(*_arguments: object, **_options: object) -> None:
        raise OSError(28, "No space left on device")

    for call in ("write", "fsync", "replace", "rename", "mkdir"):
        with monkeypatch.context() as patched:
            patched.setattr(os, call, full)
            with pytest.raises(StoreError, match="No space left"):
                vault.put("s:t", [TextPart("y")])
        assert sorted(path.name for path in (tmp_path / "vault").iterdir()) == before


@pytest.mark.parametrize(
    "file", ["../../secret", "/etc/passwd", "result.json", "1.txt/../../x", ".", ""]
)
def test_a_planted_result_reads_no_file_but_its_own(tmp_path: Path, file: str) -> None:
    handle = "r" + "b" * 24
    folder = tmp_path / "vault" / handle
    folder.mkdir(parents=True)
    (tmp_path / "secret").write_text("secret")
    rows = [{"file": file, "kind": "text", "name": "", "mime": "", "delimiter": ""}]
    (folder / "result.json").write_text(json.dumps({"tool": "s:t", "parts": rows}))

    with pytest.raises(NotFoundError):
        FileVault(tmp_path).get(handle)


def test_a_planted_link_is_not_followed(tmp_path: Path) -> None:
    vault = FileVault(tmp_path)
    stored = vault.put("s:t", [TextPart("x")])
    outside = tmp_path / "outside"
    outside.write_text("secret")
    part = Path(stored.parts[0].file)
    part.unlink()
    part.symlink_to(outside)
    linked = tmp_path / "vault" / ("r" + "c" * 24)
    linked.symlink_to(tmp_path / "vault" / stored.handle)

    for handle in (stored.handle, linked.name):
        with pytest.raises(NotFoundError):
            vault.get(handle)


@pytest.mark.parametrize("damage", ["", "{", "[]", "null", '{"tool": 1}', "[" * 100_000])
def test_a_damaged_result_is_unknown(tmp_path: Path, damage: str) -> None:
    vault = FileVault(tmp_path)
    stored = vault.put("s:t", [TextPart("x")])
    Path(stored.parts[0].file).with_name("result.json").write_text(damage)

    with pytest.raises(NotFoundError, match="Call the tool again"):
        vault.get(stored.handle)
