"""Which part of a prompt is stored for sessions whose harness keeps no transcript?"""

from __future__ import annotations

from recollect.values import replaced
from recollect.working.redacted import redact_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.working.redacted import Redact, RedactedText

TURNS_KEPT = 3  # of each session
_STORED = 500  # characters of a prompt: its subject seldom comes later
_REDACTED = 4_000  # characters of a prompt that pass the gate before it is cut


def stored_part(prompt: str, redact: Redact) -> RedactedText:
    """The beginning of a prompt as it may be stored; '' for one without words."""
    clean = redact_text(_start_of(prompt), redact)
    return replaced(clean, text=clean.text.strip()[:_STORED])


def _start_of(prompt: str) -> str:
    """A long prompt up to the end of a word, because the gate does not recognise half a secret."""
    if len(prompt) <= _REDACTED:
        return prompt
    start = prompt[:_REDACTED]
    return start[: max(start.rfind(" "), start.rfind("\n"), 0)]
