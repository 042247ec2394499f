"""How long results are stored."""

from recollect.gateway.vault.retention import PROTECTED, Limits, StoredSize, expired, refusal

NOW = 1_000_000.0
HOUR = 3_600.0


def stored(handle: str, hours: float, size: int = 10) -> StoredSize:
    return StoredSize(handle, NOW - hours * HOUR, size)


def test_old_results_expire() -> None:
    results = [stored("new", 0), stored("day", 24), stored("week", 24 * 7 + 1)]

    assert expired(results, NOW) == ["week"]


def test_the_oldest_make_room_by_count_and_by_bytes() -> None:
    results = [stored("a", 4), stored("b", 3), stored("c", 2)]

    assert expired(results, NOW, Limits(count=2)) == ["a"]
    assert expired(results, NOW, Limits(bytes=15)) == ["a", "b"]


def test_a_result_of_the_last_hour_never_expires() -> None:
    results = [StoredSize("young", NOW - PROTECTED + 1, 10), stored("old", 2)]

    assert expired(results, NOW, Limits(age=1, count=0, bytes=0)) == ["old"]


def test_a_vault_that_is_full_of_young_results_refuses() -> None:
    young = [stored("a", 0, 90)]

    assert refusal(young, 10, Limits(bytes=100)) == ""
    assert "90 of 100 bytes" in refusal(young, 11, Limits(bytes=100))
