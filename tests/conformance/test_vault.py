"""What every vault of results does, whatever stores it."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conformance.engines import Engine
from tests.requirements import requirement

from recollect.errors import NotFoundError, UnwritableError
from recollect.gateway.ports import Vault
from recollect.gateway.vault.content import BinaryPart, JsonPart, Part, TablePart, TextPart
from recollect.gateway.vault.retention import Limits

MakeVault = Callable[[Path, Limits, Callable[[], float]], Vault]
PARTS: list[Part] = [
    JsonPart({"größe": [1, None, "測"]}, "structured"),
    TablePart("a\tb\n1\t2", "\t", "file:///x.tsv"),
    TextPart("first\r\nsecond"),
    BinaryPart(bytes(range(256)), "image/png"),
    BinaryPart(b"", "application/x-unheard-of"),
]


@pytest.fixture
def make(engine: Engine) -> MakeVault:
    return engine.vault


def opened(make: MakeVault, folder: Path, limits: Limits | None = None, hours: float = 0) -> Vault:
    """A vault whose clock is some hours ahead."""
    return make(folder, limits or Limits(), lambda: time.time() + hours * 3_600)


@requirement("gateway:vault:handles")
def test_a_result_is_there_for_the_next_process(make: MakeVault, tmp_path: Path) -> None:
    stored = opened(make, tmp_path).put("s:tool", PARTS)

    again = opened(make, tmp_path).get(stored.handle)

    assert again == stored
    assert [part.part for part in again.parts] == PARTS
    assert again.tool == "s:tool"


def test_handles_differ_and_cannot_be_guessed(make: MakeVault, tmp_path: Path) -> None:
    vault = opened(make, tmp_path)

    handles = {vault.put("s:t", [TextPart("same")]).handle for _ in range(20)}

    assert len(handles) == 20
    assert all(len(handle) >= 20 for handle in handles)


def test_a_result_of_another_project_is_unknown(make: MakeVault, tmp_path: Path) -> None:
    handle = opened(make, tmp_path / "a").put("s:t", [TextPart("x")]).handle

    with pytest.raises(NotFoundError, match="in this project"):
        opened(make, tmp_path / "b").get(handle)


@pytest.mark.parametrize(
    "handle",
    ["", "r", "../../x", "r" + "a" * 24, "/etc/passwd", "r" + "a" * 23 + "/", "\0", "ü", "r" * 9_999],
)
def test_an_unknown_handle_says_what_to_do(make: MakeVault, tmp_path: Path, handle: str) -> None:
    vault = opened(make, tmp_path)
    vault.put("s:t", [TextPart("x")])

    with pytest.raises(NotFoundError, match="Call the tool again"):
        vault.get(handle)


def test_an_old_result_is_deleted_when_the_next_is_stored(make: MakeVault, tmp_path: Path) -> None:
    old = opened(make, tmp_path).put("s:t", [TextPart("old")]).handle

    later = opened(make, tmp_path, hours=24 * 8)
    later.put("s:t", [TextPart("new")])

    with pytest.raises(NotFoundError):
        later.get(old)


def test_count_and_bytes_are_bounded_and_young_results_stay(make: MakeVault, tmp_path: Path) -> None:
    first = [opened(make, tmp_path).put("s:t", [TextPart("x" * 100)]).handle for _ in range(4)]
    vault = opened(make, tmp_path, Limits(count=2))

    young = [vault.put("s:t", [TextPart("x")]).handle for _ in range(3)]
    for handle in [*first, *young]:
        vault.get(handle)
    later = opened(make, tmp_path, Limits(count=2), hours=2)
    last = later.put("s:t", [TextPart("x")]).handle

    def is_there(handle: str) -> bool:
        try:
            later.get(handle)
        except NotFoundError:
            return False
        return True

    assert is_there(last)
    assert sum(map(is_there, [*first, *young, last])) == 2


def test_a_vault_full_of_young_results_refuses_and_loses_none(make: MakeVault, tmp_path: Path) -> None:
    vault = opened(make, tmp_path, Limits(bytes=10_000))
    handle = vault.put("s:t", [TextPart("x" * 6_000)]).handle

    with pytest.raises(UnwritableError, match="within the last hour"):
        vault.put("s:t", [TextPart("x" * 6_000)])

    assert vault.get(handle).parts[0].size == 6_000
