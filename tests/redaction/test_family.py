import re
import time

import pytest

from recollect.redaction import blocks
from recollect.redaction.redact import issued_families
from recollect.redaction.shapes import SHAPES

FAMILIES = issued_families() + SHAPES
PATTERNS = [*(family.pattern for family in FAMILIES), *blocks.PATTERNS]


def test_no_pattern_matches_nothing() -> None:
    assert [pattern for pattern in PATTERNS if re.search(pattern, "")] == []


def _seconds(pattern: re.Pattern[str], text: str) -> float:
    times = []
    for _ in range(2):
        start = time.process_time()
        list(pattern.finditer(text))
        times.append(time.process_time() - start)
    return min(times)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_no_hostile_text_makes_a_built_in_pattern_slow(pattern: str) -> None:
    """Each text repeats what the pattern is written with; quadratic time would be sixteen times as long."""
    literals = "".join(sign for sign in pattern if sign.isalnum() or sign in " _-/:=")
    compiled = re.compile(pattern)

    for unit in dict.fromkeys([literals, *literals[:8], "a", "0", " ", "a:", "a=", "a\n"]):
        short, long = (_seconds(compiled, (unit * size)[:size]) for size in (4_000, 16_000))
        assert long < 9 * short + 0.05, unit


def test_a_pattern_that_begins_at_a_mark_begins_with_it() -> None:
    """Else the mark would be found and the pattern never match there."""
    for family in FAMILIES:
        if not family.free:
            first = family.pattern.replace("\\", "").removeprefix("(?:")
            assert any(first[0] == mark[0] for mark in family.marks), family
