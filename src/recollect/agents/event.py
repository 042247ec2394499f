"""What happens in a session, whatever the harness calls it, and what we may answer."""

from __future__ import annotations

from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    from recollect.working.tools import ToolKind

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
else:
    Kind = Start = str

STARTS: tuple[Start, ...] = ("startup", "resume", "clear", "compact")
_NO_INPUT: Mapping[str, Any] = {}


class Event(Frozen):
    """One thing that happened in a session.

    What the harness does not report is empty. `name` is the harness's name of the event; `tool_input` has
    our names for the fields that `recollect.working.tools` lists, and the harness's names for all others.
    """

    kind: Kind
    name: str
    session: str = ""
    folder: str = ""
    prompt: str = ""
    start: Start = "startup"
    transcript: str = ""
    tool: str = ""
    tool_input: Mapping[str, Any] = _NO_INPUT
    tool_output: str = ""
    last_message: str = ""
    call: str = ""  # the id of a tool call, where only the transcript says how it ended
    harness: str = ""
    tool_kind: ToolKind = ""


class HookReply(Frozen):
    """What we answer: text for the conversation, or the reason why a tool must not run. Or nothing.

    `notice` is a line for the person, which the agent does not read.
    """

    context: str = ""
    deny: str = ""
    notice: str = ""

    def __bool__(self) -> bool:
        return bool(self.context or self.deny or self.notice)


NOTHING = HookReply()
