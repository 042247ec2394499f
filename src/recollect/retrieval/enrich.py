"""Short prompts speak of what was said before: "what did we decide about that?". Pure."""

from __future__ import annotations

from recollect.retrieval.tokens import STOP_WORDS, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

FEW = 3  # meaningful words; a prompt with more has a subject of its own, which turns would dilute
TURNS = 3
MOST_OF_A_TURN = 500  # characters: a log pasted earlier is not what the conversation is about


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
