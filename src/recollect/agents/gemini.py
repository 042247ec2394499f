"""Gemini CLI's dialect. Its standard output must be JSON and nothing else."""

from __future__ import annotations

from recollect.agents.answer import hook_specific, printed
from recollect.agents.payload import event_of, first, mapping, plain, text
from recollect.values import replaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from recollect.agents.event import Event, HookReply, Kind

KINDS: dict[str, Kind] = {
    "BeforeAgent": "prompt",
    "SessionStart": "session_start",
    "BeforeTool": "tool_before",
    "AfterTool": "tool_after",
    "PreCompress": "compact",
    "AfterAgent": "stop",
    "SessionEnd": "session_end",
}
CONTEXT: frozenset[Kind] = frozenset({"prompt", "session_start"})


_CONTEXT = ("<hook_context>", "</hook_context>")
_WRAPPING = ("<untrusted_context>", "</untrusted_context>", "Process Group PGID: ")
_SHELL = "run_shell_command"
_LAST_LINES = (
    160  # characters: exit code, signal and process group at the end of what a command printed
)


def read(name: str, payload: Mapping[str, Any]) -> Event:
    """The event that Gemini CLI reports; a tool's error arrives inside its answer."""
    event = event_of(name, payload, KINDS)
    if event.kind == "tool_after":
        return _tool_after(event, mapping(payload, "tool_response"))
    prompt = without_context(event.prompt)
    return replaced(event, prompt=prompt, last_message=text(payload, "prompt_response"))


def without_context(prompt: str) -> str:
    """A prompt without what hooks said when the session began: headless, Gemini CLI puts that in front."""
    start, end = _CONTEXT
    while prompt.startswith(start) and end in prompt:
        prompt = prompt.partition(end)[2].lstrip()
    return prompt


def _tool_after(event: Event, answer: Mapping[str, Any]) -> Event:
    """What a person is shown tells most, where the model's text is wrapped; that alone has the exit code."""
    told, shown, runs = event.tool_output, text(answer, "returnDisplay"), event.tool == _SHELL
    if first(answer, "error") or (runs and _has_failed(told)):
        event = replaced(event, kind="tool_failed")
    if not runs and not told.startswith(_WRAPPING):
        return event
    own = "\n".join(line for line in told.split("\n") if not line.startswith(_WRAPPING))
    return replaced(event, tool_output=plain(shown or own))


def _has_failed(told: str) -> bool:
    """Whether an exit code that is not 0 stands at the end of what a command printed."""
    code = told[-_LAST_LINES:].rpartition("\nExit Code: ")[2].partition("\n")[0]
    return code.strip(" 0").isdigit()


def write(event: Event, reply: HookReply) -> str:
    """The hook's standard output."""
    if event.kind == "tool_before" and reply.deny:
        return printed({"decision": "deny", "reason": reply.deny})
    return printed(hook_specific(event, reply))
