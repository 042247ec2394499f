"""Which part of a prompt is stored: its goal and, where the harness keeps no transcript, its beginning?"""

from __future__ import annotations

from recollect.values import replaced
from recollect.working.redacted import redact_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.working.redacted import Redact, RedactedText

_LINE = 200  # characters of one line
_GOAL_LEAST = 15  # characters of a prompt that states a goal
_ENDS = (". ", "? ", "! ", "\n")
TURNS_KEPT = 3  # of each session
_STORED = 500  # characters of a prompt: its subject seldom comes later
_REDACTED = 4_000  # characters of a prompt that pass the gate before it is cut


def stored_part(prompt: str, redact: Redact) -> RedactedText:
    """The beginning of a prompt as it may be stored; '' for one without words."""
    clean = redact_text(start_of(prompt), redact)
    return replaced(clean, text=clean.text.strip()[:_STORED])


def start_of(prompt: str) -> str:
    """A long prompt up to the end of a word, because the gate does not recognise half a secret."""
    if len(prompt) <= _REDACTED:
        return prompt
    start = prompt[:_REDACTED]
    return start[: max(start.rfind(" "), start.rfind("\n"), 0)]


def goal_of(prompt: str) -> str:
    """The first sentence of a prompt that states a goal; '' for one that does not."""
    text = prompt.strip()
    if len(text) < _GOAL_LEAST or text.startswith(("/", "<", "!")):
        return ""
    end = min((at + 1 for mark in _ENDS if (at := text.find(mark)) >= 0), default=len(text))
    return short_line(text[:end] if end >= _GOAL_LEAST else text)


def short_line(text: str) -> str:
    """A text on one line, cut after 200 characters."""
    line = " ".join(text.split())
    return line if len(line) <= _LINE else line[: _LINE - 1].rstrip() + "…"
