"""Binary parts of results in a database are files of this machine too."""

import time
from pathlib import Path

from tests.requirements import requirement

from recollect.gateway.vault.content import BinaryPart, StoredPart, StoredResult, TextPart
from recollect.storage.files.part_files import PartFiles
from recollect.storage.result_handles import new_handle

PICTURE = BinaryPart(b"\x89PNG", "image/png; q=1")


def result(*parts: BinaryPart | TextPart) -> StoredResult:
    stored = (StoredPart(number, part, "", 4) for number, part in enumerate(parts, 1))
    return StoredResult(new_handle(), "s:t", tuple(stored))


@requirement("team:postgres:parts")
def test_a_binary_part_is_a_private_file_and_other_parts_are_none(tmp_path: Path) -> None:
    with_files = PartFiles(tmp_path).with_files(result(TextPart("x"), PICTURE))

    text, picture = with_files.parts
    assert text.file == ""
    assert picture.file.endswith("/2.png")
    assert Path(picture.file).read_bytes() == b"\x89PNG"
    assert Path(picture.file).stat().st_mode & 0o077 == 0
    assert PartFiles(tmp_path).with_files(with_files) == with_files


def test_a_result_without_binary_parts_makes_no_folder(tmp_path: Path) -> None:
    only_text = result(TextPart("x"))

    assert PartFiles(tmp_path).with_files(only_text) == only_text
    assert list(tmp_path.iterdir()) == []


def test_copies_go_when_their_results_have_expired(tmp_path: Path) -> None:
    old = PartFiles(tmp_path).with_files(result(PICTURE)).parts[0].file
    week = 8 * 86_400

    PartFiles(tmp_path, lambda: time.time() + week).with_files(result(PICTURE))

    assert not Path(old).exists()


def test_a_link_in_place_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    state = tmp_path / "state"
    state.mkdir()
    (state / "parts").symlink_to(elsewhere)

    assert PartFiles(state).with_files(result(PICTURE)).parts[0].file == ""
    assert list(elsewhere.iterdir()) == []
