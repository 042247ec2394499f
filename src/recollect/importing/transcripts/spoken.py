"""Which words of a prompt did a person type? Not what a harness or Recollect put around them."""

import re

from recollect.working.echo import typed

_BLOCK = re.compile(r"\s*<(?P<name>[a-z][\w-]{0,60})(?:\s[^<>]{0,300})?>.*?</(?P=name)>", re.DOTALL)
_MOST_BLOCKS = 20
_LONGEST = 200_000  # characters of a prompt that are looked at


def spoken(prompt: str) -> str:
    """A prompt without our blocks, and without the blocks in angle brackets around it; '' for none else.

    A harness marks what it adds that way: an opened file, a command's output, a reminder.
    """
    text = typed(prompt[:_LONGEST])
    for _ in range(_MOST_BLOCKS):
        block = _BLOCK.match(text)
        if block is None:
            break
        text = text[block.end() :]
    text = _without_reminders(text).strip()
    return "" if text.startswith("<") else text


def _without_reminders(text: str) -> str:
    """Without the reminders that a harness appends to a prompt."""
    opening, closing = "<system-reminder>", "</system-reminder>"
    parts: list[str] = []
    while opening in text:
        before, _, after = text.partition(opening)
        parts.append(before)
        text = after.partition(closing)[2]
    return "".join([*parts, text])
