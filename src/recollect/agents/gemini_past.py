"""What a row of a Gemini CLI session says. Older sessions are one document; its messages are the rows."""

from __future__ import annotations

from recollect.agents.past_events import Answered, Called, Context, Returned, Said
from recollect.agents.payload import joined_text, objects, plain_text, text_field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from recollect.agents.past_events import PastEvent
    from recollect.agents.payload import Row


def read(row: Row, prompt: Callable[[Row], str]) -> list[PastEvent]:
    """The events of a row. `prompt` is what the user typed in one."""
    if not row.get("id") and text_field(row, "sessionId"):
        is_side = row.get("kind") == "subagent"
        hash, directories = text_field(row, "projectHash"), row.get("directories")
        folder = next((str(each) for each in directories), "") if isinstance(directories, list) else ""
        return [Context(text_field(row, "sessionId"), folder, hash, is_side)]
    match row.get("type"):
        case "user":
            return [Said(text)] if (text := prompt(row)) else []
        case "gemini":
            calls = [event for call in objects(row.get("toolCalls")) for event in _call(call)]
            content = row.get("content")
            text = content if isinstance(content, str) else joined_text(content)
            return [*([Answered(text)] if text else []), *calls]
        case _:
            return []


def _call(call: dict[str, Any]) -> list[PastEvent]:
    """A call with its end. A person is shown plain text; only the model is told the exit code."""
    id, arguments = text_field(call, "id"), call.get("args")
    called = Called(id, text_field(call, "name"), arguments if isinstance(arguments, dict) else {})
    status = text_field(call, "status")
    if status not in ("success", "error"):
        return [called]
    result = plain_text([part.get("functionResponse", part) for part in objects(call.get("result"))])
    failed = status == "error" or _exit_code(result)
    return [called, Returned(id, text_field(call, "resultDisplay") or result, failed)]


def _exit_code(output: str) -> bool:
    """Whether a command's output names an exit code that is not 0."""
    code = output.rpartition("Exit Code: ")[2].partition("\n")[0]
    return output != code and code.strip(" 0").isdigit()
