"""Codex. Its dialect is Claude Code's, without events for failures and session ends.

Codex rejects an output with a key it does not know, so only documented ones are written.
"""

from __future__ import annotations

from recollect.agents.harness import (
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
    hook_specific,
    joined_text,
    objects,
    text_field,
)
from recollect.values import replaced
from recollect.working.tools import ToolNames, patched_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from recollect.agents.event import Event, Kind
    from recollect.agents.harness import Env, Texts
    from recollect.agents.past_events import PastEvent
    from recollect.agents.payload import Row
    from recollect.agents.permission_rules import Rule

_PLUGIN = "memory@recollect"
_HOOKS = ".codex/hooks.json"
_STEP = "start `codex` here once, trust the folder, then trust the hooks"
_CALLS = (b'"CommandExecution"', b'"FileChange"', b"*** Begin Patch")
_KINDS: dict[str, Kind] = {
    "UserPromptSubmit": "prompt",
    "SessionStart": "session_start",
    "PreToolUse": "tool_before",
    "PostToolUse": "tool_after",
    "PreCompact": "compact",
    "Stop": "stop",
}
_TOOLS = ToolNames(
    shells=("Bash", "shell", "local_shell", "exec_command"),
    edits=("apply_patch", "Edit", "Write"),
)


def _read(name: str, payload: Mapping[str, Any]) -> Event:
    """Only the transcript says whether a call failed, so the event carries the call's id."""
    event = event_of(name, payload, _KINDS)
    if event.kind == "tool_after":
        event = replaced(event, call=text_field(payload, "tool_use_id"))
    return event


def _item(row: Row) -> dict[str, Any]:
    """The finished item that a row reports; {} for any other row."""
    payload = row.get("payload")
    item = payload.get("item") if isinstance(payload, dict) else None
    return item if isinstance(item, dict) else {}


def _prompt(row: Row) -> str:
    item, payload = _item(row), row.get("payload")
    if item.get("type") == "UserMessage":
        return joined_text(item.get("content"))
    if isinstance(payload, dict) and payload.get("type") == "user_message":
        return joined_text(payload.get("message"))
    return ""


def _files(row: Row) -> list[list[str]]:
    item, payload = _item(row), row.get("payload")
    changes = item.get("changes")
    if isinstance(changes, dict):
        return [list(changes)]
    patch = payload.get("input") if isinstance(payload, dict) else None
    if isinstance(patch, str):
        return [list(patched_files(patch))]
    named = [*objects(changes), *objects(item.get("parsed_cmd"))]
    return [[path for fields in named for path in _TOOLS.paths(fields)]]


def _failed(row: Row, call: str) -> bool | None:
    item = _item(row)
    if item.get("id") != call:
        return None
    return item.get("status") == "failed" or item.get("exit_code") not in (0, None)


def _user_folders(home: str, env: Env) -> tuple[str, ...]:
    return (env.get("CODEX_HOME") or f"{home}/.codex",)


def _past_row(row: Row) -> list[PastEvent]:
    from recollect.agents.codex_past import read

    return read(row)


def _past_files(home: str, env: Env) -> tuple[str, ...]:
    return tuple([f"{folder}/sessions/**/*.jsonl" for folder in _user_folders(home, env)])


def _config(own: str) -> tuple[str, ...]:
    return (f"{own}/config.toml",)


def _has_plugin(texts: Texts, _folder: str) -> bool:
    from recollect.agents.lenient import inside, toml_of

    return inside(toml_of(texts[0]), "plugins", _PLUGIN, "enabled") is True


def _remaining(texts: Texts, folder: str) -> str:
    from recollect.agents.codex_trust import remaining_step

    config, hooks = texts
    return remaining_step(config, hooks, f"{folder}/{_HOOKS}", folder, _STEP)


def _permission_rules(text: str) -> list[Rule]:
    from recollect.agents.lenient import inside, toml_of
    from recollect.agents.permission_rules import server_lists

    return server_lists(inside(toml_of(text), "mcp_servers"), "enabled_tools", "disabled_tools")


HARNESS = Harness(
    name="codex",
    kinds=_KINDS,
    context_kinds=frozenset({"prompt", "session_start"}),
    read=_read,
    write=hook_specific,
    tools=_TOOLS,
    transcript=TranscriptRows(
        may_be_prompt=lambda line: b'"UserMessage"' in line or b'"user_message"' in line,
        prompt=_prompt,
        may_be_call=lambda line: any(mark in line for mark in _CALLS),
        files=_files,
        failed=_failed,
    ),
    past=PastTranscripts(_past_row, lambda row: text_field(row, "timestamp"), files=_past_files),
    files=ProjectFiles(
        hooks_file=_HOOKS,
        events={**dict.fromkeys(_KINDS, ""), "PreToolUse": "apply_patch|Write|Edit|Bash|shell"},
        servers_file=".codex/config.toml",
        skills=skill_files("skills/memory-{}.md", ".agents/skills/memory-{}/SKILL.md"),
        search_skill="$memory-search",
    ),
    presence=Presence((".codex",), ("codex",), _user_folders),
    approval=Approval(_STEP, lambda own: (*_config(own), _HOOKS), _remaining),
    plugin=Plugin(_config, _has_plugin, "start `codex` once and trust the hooks of the plugin"),
    permissions=Permissions(lambda own: (*_config(own), ".codex/config.toml"), _permission_rules),
)
