"""The security guide: each line of its table names tests that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "guides" / "security.md").read_text("utf-8")
THREATS = GUIDE.partition("\n## What Recollect writes\n")[0]  # the rest is a table of files
LINES = [line for line in THREATS.splitlines() if line.startswith("| ")][1:]


@pytest.mark.parametrize("line", LINES, ids=[line.split("|")[1].strip() for line in LINES])
def test_each_line_of_the_table_names_tests_that_exist(line: str) -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", line)

    assert named
    for path, name in named:
        assert f"def {name}(" in (ROOT / path).read_text("utf-8"), name
