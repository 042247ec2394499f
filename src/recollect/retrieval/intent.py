"""The intent of a query, and the channel weights for it.

Seven intents, recognised by a few words; without any of them, the plain weights apply. The words are weak
signals, so the weights differ little.
"""

from __future__ import annotations

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

# In the order they are tried. A phrase matches the start of a word; with a trailing space, complete words.
_SIGNS = (
    (
        FIND_DECISION,
        ("why did we", "why do we", "why are we", "decid", "decision", "chose", "rationale", "adr"),
    ),
    (SECURITY_AUDIT, ("secur", "vulnerab", "cve", "secret", "leak", "xss", "injection", "audit")),
    (FIX_BUG, ("fix", "bug", "error", "exception", "traceback", "crash", "fail", "broken", "regression")),
    (REFACTOR, ("refactor", "clean up", "cleanup", "rename", "extract", "simplif", "restructur")),
    (FIND_SPEC, ("spec", "requirement", "constraint", "must we", "allowed to", "limit")),
    (
        ADD_FEATURE,
        ("add ", "implement ", "build ", "create ", "introduce ", "support for ", "feature "),
    ),
    (
        UNDERSTAND,
        ("how does ", "what is ", "what are ", "explain ", "understand ", "overview ", "why "),
    ),
)  # fmt: skip
_NUDGES = {
    FIX_BUG: {"files": 0.4},
    REFACTOR: {"files": 0.4},
    FIND_DECISION: {"graph": 0.4},
    UNDERSTAND: {"graph": 0.4},
}


def intent_of(text: str) -> str:
    """The first intent whose words are in the text's first 500 characters."""
    start = text[:500].lower()
    flat = "".join([mark if mark.isalnum() or mark == "_" else " " for mark in start])
    padded = f" {flat} "
    return next(
        (intent for intent, signs in _SIGNS if any(f" {sign}" in padded for sign in signs)), PLAIN
    )


def weights(intent: str) -> dict[str, float]:
    """The weight of each channel."""
    return PLAIN_WEIGHTS | _NUDGES.get(intent, {})
