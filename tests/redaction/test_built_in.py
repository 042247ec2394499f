import re

import pytest
from tests.requirements import requirement

from recollect.patterns.regex_safety import check
from recollect.redaction.built_in import FAMILIES, PATTERNS


def test_no_pattern_matches_nothing() -> None:
    assert [pattern for pattern in PATTERNS if re.search(pattern, "")] == []


@requirement("redaction:patterns:safe")
@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_built_in_pattern_passes_the_check_that_users_patterns_pass(pattern: str) -> None:
    assert check(pattern) is None


def test_a_pattern_that_begins_at_a_mark_begins_with_it() -> None:
    """Else the mark would be found and the pattern never match there."""
    for family in FAMILIES:
        if not family.free:
            first = family.pattern.replace("\\", "").removeprefix("(?:")
            assert any(first[0] == mark[0] for mark in family.marks), family
