"""Drafts of what a session did and of what fixed an error."""

from datetime import UTC, datetime

import pytest
from tests.requirements import requirement

from recollect.ids import MemoryId
from recollect.records.draft import Draft
from recollect.working.draft import runbook_document, summary, summary_document
from recollect.working.history import Action, Failure, SessionHistory
from recollect.working.turns import goal_of

BROKEN = Failure("f1", "pytest -q", "1 failed: tests/test_login.py::test_rename\nmore", 3)
FIXED = Failure("f2", "make build", "error: no such module 'cart'", 2, resolved_at="2026")
RECORD = SessionHistory(
    "s1",
    "claude-code",
    "Rename the login column.",
    "",
    (
        Action("edit", "src/login.py", 1),
        Action("commit", "Rename the column", 4),
        Action("edit", "src/cart.py", 5),
        Action("command", "pip install cart", 6),
    ),
    (FIXED, BROKEN),
)


def test_a_summary_tells_what_was_done_what_is_loose_and_what_is_broken() -> None:
    assert summary(RECORD) == {
        "goal": "Rename the login column.",
        "outcome": "partial",
        "completed": [
            "Rename the column",
            "Fixed: error: no such module 'cart'",
            "Edited src/login.py, src/cart.py",
        ],
        "in_progress": ["Not committed: src/cart.py"],
        "next_actions": ["`pytest -q` fails: 1 failed: tests/test_login.py::test_rename"],
        "blockers": [],
        "key_changes": ["src/login.py", "src/cart.py"],
    }


def test_an_error_that_came_back_three_times_stands_in_the_way() -> None:
    stuck = Failure("f1", "pytest", "1 failed", 3, times=3)

    content = summary(SessionHistory("s", failures=(stuck,)))

    assert (content["outcome"], content["next_actions"]) == ("blocked", [])
    assert content["blockers"] == ["`pytest` fails: 1 failed"]


def test_a_session_that_committed_all_it_edited_and_broke_nothing_succeeded() -> None:
    actions = (Action("edit", "a.py", 1), Action("commit", "Add a", 2))

    assert summary(SessionHistory("s", actions=actions))["outcome"] == "success"


@requirement("working:summary:deterministic")
def test_the_same_record_gives_the_same_summary_and_a_valid_memory() -> None:
    document = summary_document(RECORD)

    assert document == summary_document(RECORD)
    memory = Draft(document).as_memory(MemoryId("x"), datetime(2026, 11, 15, tzinfo=UTC))
    assert memory.document["source"] == {"kind": "tool", "session": "s1"}


@pytest.mark.parametrize(
    ("prompt", "goal"),
    [
        ("Fix the login page. It breaks on rename.", "Fix the login page."),
        ("Why does the build fail? See below.", "Why does the build fail?"),
        ("Rename the column\nand all that uses it", "Rename the column"),
        ("Hi. Please rename the column", "Hi. Please rename the column"),
        ("go on", ""),
        ("/memory:search login", ""),
        ("<command>x</command> and more", ""),
        ("word " * 100, ("word " * 100)[:199].rstrip() + "…"),
    ],
)
def test_the_goal_is_the_first_sentence_of_a_prompt_that_says_something(prompt: str, goal: str) -> None:
    assert goal_of(prompt) == goal


def test_without_a_prompt_the_goal_is_taken_from_what_was_done() -> None:
    assert summary(SessionHistory("s", actions=(Action("commit", "Add a", 2),)))["goal"] == "Add a"
    assert (
        summary(SessionHistory("s", actions=(Action("edit", "src/a.py", 2),)))["goal"] == "Work on a.py"
    )


def test_a_runbook_tells_what_was_done_between_the_error_and_the_success() -> None:
    document = runbook_document(FIXED, RECORD)

    assert document is not None
    assert document["content"] == {
        "trigger": "error: no such module 'cart'",
        "steps": ["Edit src/cart.py", "Run `pip install cart`"],
        "verification": "`make build` succeeds.",
        "symptoms": ["error: no such module 'cart'", "fingerprint f2"],
    }
    Draft(document).as_memory(MemoryId("x"), datetime(2026, 11, 15, tzinfo=UTC))


def test_an_error_that_went_away_by_itself_teaches_nothing() -> None:
    assert runbook_document(FIXED, SessionHistory("s", actions=(Action("edit", "a.py", 1),))) is None
