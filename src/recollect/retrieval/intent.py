"""What the asker is after, and how much each channel counts for it.

Seven intents, told by a few words; without any of them, the plain weights. The words are cheap signals
and the weights differ little: an intent nudges, it does not decide.
"""

import re
from enum import StrEnum


class Intent(StrEnum):
    """What a query is for."""

    UNDERSTAND = "understand"
    FIND_SPEC = "find_spec"
    FIX_BUG = "fix_bug"
    ADD_FEATURE = "add_feature"
    REFACTOR = "refactor"
    SECURITY_AUDIT = "security_audit"
    FIND_DECISION = "find_decision"
    PLAIN = "plain"


# Equal halves for words and meaning won over all measured sets; files are rare and precise.
PLAIN_WEIGHTS = {"lexical": 0.5, "vector": 0.5, "files": 0.3, "graph": 0.3}

_SIGNS: tuple[tuple[Intent, re.Pattern[str]], ...] = tuple(
    (intent, re.compile(pattern, re.IGNORECASE))
    for intent, pattern in (
        (
            Intent.FIND_DECISION,
            r"\b(?:why (?:did|do|are|is) we|decid|decision|chose|chosen|rationale|adr)",
        ),
        (Intent.SECURITY_AUDIT, r"\b(?:secur|vulnerab|cve|secret|leak|xss|injection|audit)"),
        (Intent.FIX_BUG, r"\b(?:fix|bug|error|exception|traceback|crash|fail|broken|regression)"),
        (Intent.REFACTOR, r"\b(?:refactor|clean ?up|rename|extract|simplif|restructur)"),
        (Intent.FIND_SPEC, r"\b(?:spec|specification|requirement|constraint|must we|allowed to|limit)"),
        (Intent.ADD_FEATURE, r"\b(?:add|implement|build|create|introduce|support for|feature)\b"),
        (Intent.UNDERSTAND, r"\b(?:how does|what is|what are|explain|understand|overview|why)\b"),
    )
)


def intent_of(text: str) -> Intent:
    """The first intent whose words are in the text's first 500 characters."""
    start = text[:500]
    return next((intent for intent, sign in _SIGNS if sign.search(start)), Intent.PLAIN)


def weights(intent: Intent) -> dict[str, float]:
    """How much each channel counts."""
    nudges: dict[Intent, dict[str, float]] = {
        Intent.FIX_BUG: {"files": 0.4},
        Intent.REFACTOR: {"files": 0.4},
        Intent.FIND_DECISION: {"graph": 0.4},
        Intent.UNDERSTAND: {"graph": 0.4},
    }
    return PLAIN_WEIGHTS | nudges.get(intent, {})
