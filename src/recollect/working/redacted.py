"""Text that has passed the redaction gate. What a session stores of prompts and tools is of this type."""

from __future__ import annotations

from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol

    class Secret(Protocol):
        """A secret that was taken out: its kind, never its value."""

        @property
        def kind(self) -> str: ...

    # The gate: a text without its secrets, and what was taken out.
    Redact = Callable[[str], tuple[str, Sequence[Secret]]]


class RedactedText(Frozen):
    """A text without its secrets, and the kinds of those. Made by `redact_text` alone.

    Cut it only now: the gate does not recognise half a secret.
    """

    text: str
    kinds: tuple[str, ...] = ()


NO_TEXT = RedactedText("")


def redact_text(text: str, redact: Redact) -> RedactedText:
    """A text as it may be stored. An error in the gate is the caller's: then nothing is stored."""
    if not text:
        return NO_TEXT
    clean, secrets = redact(text)
    return RedactedText(clean, tuple([secret.kind for secret in secrets]))
