"""A statement becomes one draft, however often it is said, with everything that speaks for it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.redaction.sample_keys import ISSUED
from tests.requirements import requirement

from recollect.redaction.gate import gate
from recollect.redaction.redact import redact
from recollect.storage.files.drafts import FileDrafts
from recollect.working.draft import StoredDraft
from recollect.working.ports import DraftStore
from recollect.working.statement_draft import (
    MOST_OF_A_SESSION,
    Evidence,
    draft_statements,
    is_held,
    is_same,
)

RULE = "From now on always run the linter before you commit."
KEY = ISSUED["github token"][0]
TOOLS = (
    *("ruff", "mypy", "vite", "docker", "redis", "celery", "webpack", "jest", "gradle", "poetry"),
    *("nginx", "terraform"),
)
TASKS = (
    "Add a {} button to the settings page",
    "why does the {} test fail?",
    "The {} page still shows an error when I click on save.",
    "rename the {} function and update its callers",
    "Can you show me where {} is configured?",
    "ok, now commit the {} change and push",
    "What does {} do here?",
    "Great, the {} part works. Now do the same for the other one.",
    "please write tests for the {} module",
    "it crashes in {} with a null pointer, look at the log",
)


@pytest.fixture
def drafts(tmp_path: Path) -> FileDrafts:
    return FileDrafts(tmp_path, gate)


def say(
    drafts: DraftStore,
    message: str,
    session: str = "s1",
    turn: int = 1,
    holds: Callable[[str], bool] = lambda _: False,
) -> list[str]:
    return draft_statements(
        message, Evidence(session, "2026-01-01T00:00:00Z", turn), drafts, redact, holds
    )


def only(drafts: DraftStore) -> StoredDraft:
    [draft] = drafts.all()
    return draft


@requirement("working:capture:statements")
def test_a_statement_becomes_a_draft_that_says_what_it_would_become(drafts: FileDrafts) -> None:
    say(drafts, f"The tests pass. {RULE}")

    document = only(drafts).document
    assert document["category"] in ("preference", "constraint")
    assert document["source"]["evidence"] == [
        {"text": RULE, "session": "s1", "at": "2026-01-01T00:00:00Z", "turn": 1}
    ]
    assert document["source"]["signals"]


@requirement("working:statements:twice")
def test_the_same_statement_twice_is_one_draft_with_two_pieces_of_evidence(drafts: FileDrafts) -> None:
    say(drafts, RULE)
    once = only(drafts).document["confidence"]
    say(drafts, "Please, always run the linter before you commit from now on!", "s2")

    draft = only(drafts)
    assert [row["session"] for row in draft.evidence] == ["s1", "s2"]
    assert draft.document["confidence"] > once


def test_the_same_message_seen_twice_is_one_piece_of_evidence(drafts: FileDrafts) -> None:
    say(drafts, RULE)

    assert say(drafts, RULE) == []
    assert len(only(drafts).evidence) == 1


@pytest.mark.parametrize(
    "other",
    [
        "From now on never run the linter before you commit.",
        "From now on always run the tests before you deploy.",
        "From now on always run the linter version 2 before you commit.",
    ],
)
def test_another_statement_is_another_draft(drafts: FileDrafts, other: str) -> None:
    assert not is_same(RULE, other)
    say(drafts, RULE)
    say(drafts, other, turn=2)

    assert len(drafts.all()) == 2


@requirement("working:statements:held")
def test_what_the_memory_holds_makes_no_draft(drafts: FileDrafts) -> None:
    assert say(drafts, RULE, holds=lambda _: True) == []
    assert drafts.all() == []


def test_a_memory_holds_a_sentence_that_it_says_in_more_words() -> None:
    assert is_held(RULE, ["Run the linter and the tests before you commit."])
    assert not is_held(RULE, ["Never run the linter before you commit.", "Run the tests."])


@requirement("working:statements:few")
def test_a_session_of_many_statements_makes_few_drafts(drafts: FileDrafts) -> None:
    for turn, tool in enumerate(TOOLS):
        say(drafts, f"From now on never use {tool} in this project.", turn=turn)
    assert len(drafts.all()) == MOST_OF_A_SESSION

    say(drafts, "From now on never use bazel in this project.", "s2")
    assert len(drafts.all()) == MOST_OF_A_SESSION + 1


@requirement("working:statements:few")
def test_two_hundred_ordinary_messages_make_at_most_five_drafts(drafts: FileDrafts) -> None:
    messages = [
        task.format(f"{tool}{number}") for number in range(2) for task in TASKS for tool in TOOLS
    ]
    for turn, message in enumerate(messages[:200]):
        say(drafts, message, turn=turn)

    assert len(messages) >= 200
    assert len(drafts.all()) <= 5


@requirement("working:statements:secrets")
@pytest.mark.parametrize(
    "message",
    [
        f"From now on always use the token {KEY} for the deploy.",
        f"Never push to main again, because of {KEY}. From now on always open a branch.",
    ],
)
def test_the_secret_in_a_statement_is_nowhere(drafts: FileDrafts, tmp_path: Path, message: str) -> None:
    say(drafts, message)

    assert drafts.all()
    assert not [file for file in tmp_path.rglob("*.json") if KEY in file.read_text()]
