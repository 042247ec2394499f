"""How many tokens a text costs a model, about. No tokenizer: harnesses use different ones."""

from __future__ import annotations

import json

CHARACTERS_PER_TOKEN = 3.5  # a low estimate for English and JSON


def tokens_of(value: object) -> int:
    """About how many tokens a value costs as JSON."""
    return int(len(json.dumps(value, ensure_ascii=False)) / CHARACTERS_PER_TOKEN) + 1


def tokens_of_text(text: str) -> int:
    """About how many tokens a text costs as it is."""
    return int(len(text) / CHARACTERS_PER_TOKEN) + 1


def characters(tokens: int) -> int:
    """How many characters fit into so many tokens."""
    return int(tokens * CHARACTERS_PER_TOKEN)
