"""What the asker is after."""

import pytest
from tests.requirements import requirement

from recollect.retrieval.query import PLAIN_WEIGHTS, intent_of, weights


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("why did we choose Postgres", "find_decision"),
        ("the rationale for queues", "find_decision"),
        ("is there an XSS in the form", "security_audit"),
        ("fix the login bug", "fix_bug"),
        ("Traceback (most recent call last):", "fix_bug"),
        ("rename the parser", "refactor"),
        ("what is the limit for uploads", "find_spec"),
        ("add a retry button", "add_feature"),
        ("how does the cache work", "understand"),
        ("queue names", "plain"),
        ("", "plain"),
    ],
)
def test_a_few_words_tell_the_intent(text: str, intent: str) -> None:
    assert intent_of(text) == intent


def test_only_the_start_of_a_text_tells() -> None:
    assert intent_of("x " * 300 + "fix the bug") == "plain"


@requirement("retrieval:intent:nudges")
def test_an_intent_changes_the_weight_of_files_or_of_links_and_never_words_or_meaning() -> None:
    assert weights("plain") == PLAIN_WEIGHTS
    for intent in ("understand", "find_spec", "fix_bug", "add_feature", "refactor", "plain"):
        changed = {name for name, weight in weights(intent).items() if weight != PLAIN_WEIGHTS[name]}
        assert changed in (set(), {"files", "touched"}, {"graph"})
    assert weights("fix_bug")["files"] > PLAIN_WEIGHTS["files"]
