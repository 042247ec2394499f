"""Short prompts: which are skipped, and which are searched together with earlier turns. Pure.

"What did we decide about that?" says nothing without the turns before it.
"""

from __future__ import annotations

from recollect.text.tokens import STOP_WORDS, is_unspaced, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SHORTEST = 10  # characters of a prompt that is searched for
IDEOGRAPH = 3  # an ideograph, kana or hangul syllable counts as three characters: it is half a word
FIRST_IDEOGRAPH = "\u2e80"  # scripts before it have letters, with or without spaces between words
FEW = 3  # meaningful words; a prompt with more states its own subject, which turns would dilute
TURNS = 3
MOST_OF_A_TURN = 500  # characters: a pasted log is not the subject of a conversation


def skip_reason(prompt: str) -> str | None:
    """Why a prompt is skipped; None when it is not."""
    text = prompt.strip()
    if text.startswith("/"):
        return "it begins with a slash, like a command of the harness"
    if len(text) >= SHORTEST:
        return None
    marks = [mark for mark in text if mark >= FIRST_IDEOGRAPH and is_unspaced(mark) and mark.isalnum()]
    if len(text) + len(marks) * (IDEOGRAPH - 1) >= SHORTEST:
        return None
    return f"it is shorter than {SHORTEST} characters"


def enriched(prompt: str, turns: Sequence[str]) -> str:
    """The prompt, followed by the user's last turns, newest first, if it has few meaningful words.

    `turns` are the user's earlier turns, oldest first. A prompt of more than three meaningful words is
    returned unchanged.
    """
    if not turns or meaningful(prompt) > FEW:
        return prompt
    last = (turn.strip()[:MOST_OF_A_TURN] for turn in reversed(turns[-TURNS:]))
    return "\n".join([prompt, *(turn for turn in last if turn)])


def meaningful(text: str) -> int:
    """The number of different words of a text that are not stop words. A compound is one word."""
    wholes = {word[0] for word in words(text)}
    return sum(whole not in STOP_WORDS and (len(whole) > 1 or not whole.isascii()) for whole in wholes)
