"""Short prompts: which are looked at, and what they speak of: "what did we decide about that?". Pure."""

from __future__ import annotations

from recollect.text.stop_words import STOP_WORDS
from recollect.text.tokens import is_unspaced, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SHORTEST = 10  # characters of a prompt that is looked at
IDEOGRAPH = 3  # characters that one counts for, as does a kana or a syllable of hangul: half a word
FIRST_IDEOGRAPH = "\u2e80"  # scripts before it have letters, with spaces between their words or without
FEW = 3  # meaningful words; a prompt with more has a subject of its own, which turns would dilute
TURNS = 3
MOST_OF_A_TURN = 500  # characters: a log pasted earlier is not what the conversation is about


def skip_reason(prompt: str) -> str | None:
    """Why a prompt is not looked at, whatever is known; None when it is."""
    text = prompt.strip()
    if text.startswith("/"):
        return "it begins with a slash, as a command of the harness does"
    if len(text) >= SHORTEST:
        return None
    marks = [mark for mark in text if mark >= FIRST_IDEOGRAPH and is_unspaced(mark) and mark.isalnum()]
    if len(text) + len(marks) * (IDEOGRAPH - 1) >= SHORTEST:
        return None
    return f"it is shorter than {SHORTEST} characters"


def enriched(prompt: str, turns: Sequence[str]) -> str:
    """The prompt, followed by the user's last turns, newest first, when it says too little alone.

    `turns` are the user's earlier ones, oldest first. A prompt of more than three meaningful words, or
    one with nothing before it, is given back as it is.
    """
    if not turns or meaningful(prompt) > FEW:
        return prompt
    last = (turn.strip()[:MOST_OF_A_TURN] for turn in reversed(turns[-TURNS:]))
    return "\n".join([prompt, *(turn for turn in last if turn)])


def meaningful(text: str) -> int:
    """How many different words of a text carry a subject. A compound is one word."""
    wholes = {word[0] for word in words(text)}
    return sum(whole not in STOP_WORDS and (len(whole) > 1 or not whole.isascii()) for whole in wholes)
