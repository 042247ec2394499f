"""What the asker is after."""

import pytest
from tests.requirements import requirement

from recollect.retrieval import intent as intents
from recollect.retrieval.intent import PLAIN_WEIGHTS, intent_of, weights


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("why did we choose Postgres", intents.FIND_DECISION),
        ("the rationale for queues", intents.FIND_DECISION),
        ("is there an XSS in the form", intents.SECURITY_AUDIT),
        ("fix the login bug", intents.FIX_BUG),
        ("Traceback (most recent call last):", intents.FIX_BUG),
        ("rename the parser", intents.REFACTOR),
        ("what is the limit for uploads", intents.FIND_SPEC),
        ("add a retry button", intents.ADD_FEATURE),
        ("how does the cache work", intents.UNDERSTAND),
        ("queue names", intents.PLAIN),
        ("", intents.PLAIN),
    ],
)
def test_a_few_words_tell_the_intent(text: str, intent: str) -> None:
    assert intent_of(text) == intent


def test_only_the_start_of_a_text_tells() -> None:
    assert intent_of("x " * 300 + "fix the bug") == intents.PLAIN


@requirement("retrieval:intent:nudges")
def test_an_intent_changes_at_most_one_weight_and_never_words_or_meaning() -> None:
    assert weights(intents.PLAIN) == PLAIN_WEIGHTS
    for intent in ("understand", "find_spec", "fix_bug", "add_feature", "refactor", "plain"):
        changed = {name for name, weight in weights(intent).items() if weight != PLAIN_WEIGHTS[name]}
        assert changed <= {"files", "graph"}
        assert len(changed) <= 1
    assert weights(intents.FIX_BUG)["files"] > PLAIN_WEIGHTS["files"]
