"""What doctor says about sessions and rules."""

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.hook.conftest import Harness
from tests.requirements import requirement

from recollect.app.project import Recollect
from recollect.health.finding import HealthFinding
from recollect.health.sessions import FEW_ITEMS

LEAK = "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzKEY1"


@pytest.fixture
def harness(folder: Path, env: dict[str, str]) -> Harness:
    return Harness(folder, {**env, "PATH": os.environ["PATH"]})


def fails(harness: Harness, number: int, *, leaks: bool) -> None:
    text = f"FAILED tests/test_a.py::test_{number} - AssertionError: {LEAK if leaks else 'no'}"
    harness.send(
        "PostToolUse",
        tool_name="Bash",
        tool_input={"command": f"pytest -q {number}"},
        tool_response={"stdout": f"E   AssertionError: {LEAK if leaks else 'no'}\n{text}"},
    )


def findings(project: Recollect, check: str) -> list[HealthFinding]:
    [examination, *_] = project.upkeep.examine()
    return [finding for finding in examination.findings if finding.check == check]


@requirement("working:redactions:counted")
def test_a_session_in_which_much_was_redacted_is_noted(project: Recollect, harness: Harness) -> None:
    project.prepare_state_folder()
    for number in range(FEW_ITEMS):
        fails(harness, number, leaks=number % 4 == 0)

    [session] = project.sessions.all()
    assert (session.extracted, session.redacted) == (FEW_ITEMS, FEW_ITEMS // 4)
    [finding] = findings(project, "redaction-rate")
    assert f"from {FEW_ITEMS // 4} of {FEW_ITEMS} items (25%)" in finding.message


def test_a_session_with_few_items_or_few_redactions_is_not_noted(
    project: Recollect, harness: Harness
) -> None:
    project.prepare_state_folder()
    for number in range(FEW_ITEMS - 1):
        fails(harness, number, leaks=number < 3)
    assert findings(project, "redaction-rate") == []

    fails(harness, FEW_ITEMS, leaks=False)
    assert findings(project, "redaction-rate") == []  # 3 of 20 is 15%


def rule(id: str, content: str) -> dict[str, object]:
    return {
        "id": id,
        "tool_pattern": "Bash",
        "content_pattern": content,
        "attention": 0.5,
        "summarizer": "stdout",
    }


def overlap(folder: Path) -> str:
    """Configure two rules of which the first takes everything; returns what is said about them."""
    file = folder / ".claude" / "memory" / "memory-config.json"
    file.write_text(json.dumps({"rules": [rule("all-of-it", ""), rule("deploys", "deployed")]}))
    return "the rule 'all-of-it' comes before 'deploys' and hides it"


@requirement("rules:overlaps:at-start")
def test_overlapping_rules_are_noted(folder: Path, reopen: Callable[[], Recollect]) -> None:
    message = overlap(folder)

    assert message in [finding.message for finding in findings(reopen(), "overlapping-rules")]


def test_overlapping_rules_are_named_when_the_server_starts(folder: Path, env: dict[str, str]) -> None:
    message = overlap(folder)

    done = subprocess.run(
        [sys.executable, "-m", "recollect", "serve"],
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert message in done.stderr


def test_the_default_rules_do_not_overlap(project: Recollect) -> None:
    assert findings(project, "overlapping-rules") == []


def test_looking_does_not_move_a_database_of_elsewhere_aside(
    folder: Path, reopen: Callable[[], Recollect]
) -> None:
    state = folder / ".claude" / "memory" / ".recollect" / "state.db"
    state.parent.mkdir(exist_ok=True)
    db = sqlite3.connect(state)
    db.execute("CREATE TABLE session (id TEXT)")
    db.commit()
    db.close()
    before = state.read_bytes()

    assert findings(reopen(), "redaction-rate") == []

    assert state.read_bytes() == before
    assert [path.name for path in state.parent.glob("state.db*")] == ["state.db"]
