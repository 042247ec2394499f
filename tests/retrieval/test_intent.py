"""What the asker is after."""

import pytest
from tests.requirements import requirement

from recollect.retrieval.intent import PLAIN_WEIGHTS, Intent, intent_of, weights


@requirement("retrieval:intent:told-by-words")
@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("why did we choose Postgres", Intent.FIND_DECISION),
        ("the rationale for queues", Intent.FIND_DECISION),
        ("is there an XSS in the form", Intent.SECURITY_AUDIT),
        ("fix the login bug", Intent.FIX_BUG),
        ("Traceback (most recent call last):", Intent.FIX_BUG),
        ("rename the parser", Intent.REFACTOR),
        ("what is the limit for uploads", Intent.FIND_SPEC),
        ("add a retry button", Intent.ADD_FEATURE),
        ("how does the cache work", Intent.UNDERSTAND),
        ("queue names", Intent.PLAIN),
        ("", Intent.PLAIN),
    ],
)
def test_a_few_words_tell_the_intent(text: str, intent: Intent) -> None:
    assert intent_of(text) == intent


def test_only_the_start_of_a_text_tells() -> None:
    assert intent_of("x " * 300 + "fix the bug") == Intent.PLAIN


@requirement("retrieval:intent:nudges")
def test_an_intent_changes_at_most_one_weight_and_never_words_or_meaning() -> None:
    assert weights(Intent.PLAIN) == PLAIN_WEIGHTS
    for intent in Intent:
        changed = {name for name, weight in weights(intent).items() if weight != PLAIN_WEIGHTS[name]}
        assert changed <= {"files", "graph"}
        assert len(changed) <= 1
    assert weights(Intent.FIX_BUG)["files"] > PLAIN_WEIGHTS["files"]
