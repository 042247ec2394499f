"""Items and tool calls to test with."""

from typing import Any

from recollect.working.redacted import RedactedText
from recollect.working.session import Item, Provenance
from recollect.working.tool_call import ToolCall


def item(
    content: str = "1 failed: test_login", base: float = 0.8, last: int = 0, **fields: Any
) -> Item:
    """An item, as a rule would make it at an event."""
    fields.setdefault("provenance", Provenance("Bash", "failing-tests", last))
    return Item(content, base, last, **fields)


def tool_call(
    tool: str, command: str = "", *, failed: bool = False, item: Item | None = None
) -> ToolCall:
    """A finished tool call without secrets, as `capture` makes it."""
    return ToolCall(tool, RedactedText(command), failed, item)
