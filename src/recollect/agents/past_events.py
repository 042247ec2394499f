"""What the rows of a transcript say, whichever harness wrote it. An unknown row says nothing."""

from __future__ import annotations

from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class Said(Frozen):
    """What the user typed."""

    text: str


class Answered(Frozen):
    """What the agent wrote to the user."""

    text: str


class Called(Frozen):
    """The agent called a tool. `tool_input` has the harness's names."""

    call: str
    tool: str
    tool_input: Mapping[str, Any]


class Returned(Frozen):
    """A tool call ended. `failed` is None where the row does not say."""

    call: str
    output: str
    failed: bool | None = None


class Context(Frozen):
    """Facts about the session; what a row does not say is empty. `is_side` marks a subagent's own session.

    `project_hash` is the SHA-256 of the folder, where the harness writes that in its place.
    """

    session: str = ""
    folder: str = ""
    project_hash: str = ""
    is_side: bool = False


PastEvent = Said | Answered | Called | Returned | Context
