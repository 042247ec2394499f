"""What happens in a session, whatever the harness calls it, and what we may answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal[
    "prompt",
    "session_start",
    "tool_before",
    "tool_after",
    "tool_failed",
    "compact",
    "stop",
    "session_end",
    "unknown",
]
Start = Literal["startup", "resume", "clear", "compact"]


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened. What a harness does not tell is empty; `name` is what it was called."""

    kind: Kind
    name: str
    session: str = ""
    folder: str = ""
    prompt: str = ""
    start: Start = "startup"
    transcript: str = ""
    tool: str = ""
    tool_input: Mapping[str, Any] = field(default_factory=dict)
    tool_output: str = ""
    last_message: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What we answer: text for the conversation, or the reason why a tool must not run. Or nothing."""

    context: str = ""
    deny: str = ""

    def __bool__(self) -> bool:
        return bool(self.context or self.deny)


NOTHING = Reply()
