"""Gemini CLI. Its standard output must be JSON and nothing else; its timeouts are in milliseconds."""

from __future__ import annotations

from recollect.agents.harness import (
    TIMEOUT_SECONDS,
    Approval,
    Harness,
    PastTranscripts,
    Permissions,
    Plugin,
    Presence,
    ProjectFiles,
    skill_files,
)
from recollect.agents.payload import (
    TranscriptRows,
    event_of,
    first_value,
    hook_specific,
    joined_text,
    object_field,
    objects,
    plain_text,
    text_field,
    to_json,
)
from recollect.values import replaced
from recollect.working.tools import ToolNames

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from recollect.agents.event import Event, HookReply, Kind
    from recollect.agents.harness import Env, Texts
    from recollect.agents.past_events import PastEvent
    from recollect.agents.payload import Row
    from recollect.agents.permission_rules import Rule

_EXTENSION = "recollect"
_SETTINGS = ".gemini/settings.json"
_KINDS: dict[str, Kind] = {
    "BeforeAgent": "prompt",
    "SessionStart": "session_start",
    "BeforeTool": "tool_before",
    "AfterTool": "tool_after",
    "PreCompress": "compact",
    "AfterAgent": "stop",
    "SessionEnd": "session_end",
}
_SHELL = "run_shell_command"
_TOOLS = ToolNames(
    shells=(_SHELL,),
    reads=("read_file", "ReadFile", "read_many_files"),
    searches=("search_file_content", "grep_search"),
    edits=("replace", "write_file"),
    fields={"absolute_path": "file_path"},
)
_CONTEXT = ("<hook_context>", "</hook_context>")
_WRAPPING = ("<untrusted_context>", "</untrusted_context>", "Process Group PGID: ")
_LAST_LINES = 160  # characters: exit code, signal and process group at the end of a command's output


def _read(name: str, payload: Mapping[str, Any]) -> Event:
    """A tool's error arrives inside its response."""
    event = event_of(name, payload, _KINDS)
    if event.kind == "tool_after":
        return _tool_after(event, object_field(payload, "tool_response"))
    prompt = _without_context(event.prompt)
    return replaced(event, prompt=prompt, last_message=text_field(payload, "prompt_response"))


def _without_context(prompt: str) -> str:
    """A prompt without the context of hooks at the session's start: headless, Gemini CLI puts it in front."""
    start, end = _CONTEXT
    while prompt.startswith(start) and end in prompt:
        prompt = prompt.partition(end)[2].lstrip()
    return prompt


def _tool_after(event: Event, response: Mapping[str, Any]) -> Event:
    """Prefer the text shown to a person where the model's is wrapped; only the model's has the exit code."""
    output, shown, is_shell = (
        event.tool_output,
        text_field(response, "returnDisplay"),
        event.tool == _SHELL,
    )
    if first_value(response, "error") or (is_shell and _has_failed(output)):
        event = replaced(event, kind="tool_failed")
    if not is_shell and not output.startswith(_WRAPPING):
        return event
    own = "\n".join(line for line in output.split("\n") if not line.startswith(_WRAPPING))
    return replaced(event, tool_output=plain_text(shown or own))


def _has_failed(output: str) -> bool:
    """Whether a command's output ends with an exit code that is not 0."""
    code = output[-_LAST_LINES:].rpartition("\nExit Code: ")[2].partition("\n")[0]
    return code.strip(" 0").isdigit()


def _write(event: Event, reply: HookReply) -> str:
    if event.kind == "tool_before" and reply.deny:
        return to_json({"decision": "deny", "reason": reply.deny})
    return hook_specific(event, reply)


def _prompt(row: Row) -> str:
    if row.get("type") != "user":
        return ""
    content = row.get("displayContent") or row.get("content")
    if isinstance(content, str):
        return _without_context(content)
    texts = [joined_text([part]) for part in objects(content)]
    return "\n".join(_without_context(part) for part in texts)


def _files(row: Row) -> list[list[str]]:
    used = [call.get("args") for call in objects(row.get("toolCalls"))]
    return [_TOOLS.paths(fields) for fields in used if isinstance(fields, dict)]


def _user_folders(home: str, env: Env) -> tuple[str, ...]:
    return (f"{env.get('GEMINI_CLI_HOME') or home}/.gemini",)


def _past_row(row: Row) -> list[PastEvent]:
    from recollect.agents.gemini_past import read

    return read(row, _prompt)


def _past_files(home: str, env: Env) -> tuple[str, ...]:
    """The folder of a project is named by a short name or by a hash of its path."""
    chats = [f"{folder}/tmp/*/chats/session-*" for folder in _user_folders(home, env)]  # noqa: S108
    return tuple([f"{chat}{ending}" for chat in chats for ending in (".jsonl", ".json")])


def _plugin_files(own: str) -> tuple[str, ...]:
    extensions = f"{own}/extensions"
    return (
        f"{extensions}/{_EXTENSION}/gemini-extension.json",
        f"{extensions}/extension-enablement.json",
    )


def _has_plugin(texts: Texts, folder: str) -> bool:
    """On if installed, unless the last rule that covers the folder begins with an exclamation mark."""
    from fnmatch import fnmatchcase

    from recollect.agents.lenient import inside, json_of

    manifest, enablement = texts
    rules = inside(json_of(enablement), _EXTENSION, "overrides")
    enabled = manifest is not None
    for rule in map(str, rules if enabled and isinstance(rules, list) else ()):
        pattern = rule.removeprefix("!").rstrip("/")
        if fnmatchcase(f"{folder}/", pattern if pattern.endswith("*") else f"{pattern}/"):
            enabled = not rule.startswith("!")
    return enabled


def _permission_rules(text: str) -> list[Rule]:
    from recollect.agents.lenient import inside, json_of
    from recollect.agents.permission_rules import server_lists

    return server_lists(inside(json_of(text), "mcpServers"), "includeTools", "excludeTools")


HARNESS = Harness(
    name="gemini",
    kinds=_KINDS,
    context_kinds=frozenset({"prompt", "session_start"}),
    read=_read,
    write=_write,
    tools=_TOOLS,
    transcript=TranscriptRows(
        may_be_prompt=lambda line: b'"user"' in line and b'"functionResponse"' not in line,
        prompt=_prompt,
        may_be_call=lambda line: b'"toolCalls"' in line,
        files=_files,
    ),
    past=PastTranscripts(
        _past_row, lambda row: text_field(row, "timestamp", "startTime"), files=_past_files
    ),
    # Not PreCompress: it comes before every request, whether anything is compressed or not.
    files=ProjectFiles(
        hooks_file=_SETTINGS,
        events={
            "BeforeAgent": "",
            "SessionStart": "",
            "BeforeTool": "write_file|replace|run_shell_command",
            "AfterTool": "",
            "AfterAgent": "",
            "SessionEnd": "",
        },
        timeout=TIMEOUT_SECONDS * 1000,
        servers_file=_SETTINGS,
        skills=skill_files("skills/prompt-{}.toml", ".gemini/commands/memory/{}.toml"),
        search_skill="/memory:search",
    ),
    presence=Presence((".gemini", "GEMINI.md"), ("gemini",), _user_folders),
    approval=Approval(
        "start `gemini` here once and trust the folder, or set GEMINI_CLI_TRUST_WORKSPACE=true "
        'where there is no terminal; with `-p` its MCP tools need --allowed-tools, or "trust": '
        "true in the server's entry"
    ),
    plugin=Plugin(_plugin_files, _has_plugin),
    permissions=Permissions(lambda own: (f"{own}/settings.json", _SETTINGS), _permission_rules),
)
