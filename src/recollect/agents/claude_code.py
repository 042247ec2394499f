"""Claude Code. The stop of a subagent is not the session's, so it stays unknown."""

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
from recollect.agents.payload import event_of, hook_specific, message_rows, text_field
from recollect.working.tools import ToolNames

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.agents.event import Kind
    from recollect.agents.harness import Env, Texts
    from recollect.agents.past_events import PastEvent
    from recollect.agents.payload import Row
    from recollect.agents.permission_rules import Rule

_PLUGIN = "memory@recollect"
_SETTINGS = ".claude/settings.json"
_LOCAL_SETTINGS = ".claude/settings.local.json"
_KINDS: dict[str, Kind] = {
    "UserPromptSubmit": "prompt",
    "SessionStart": "session_start",
    "PreToolUse": "tool_before",
    "PostToolUse": "tool_after",
    "PostToolUseFailure": "tool_failed",
    "PreCompact": "compact",
    "Stop": "stop",
    "SessionEnd": "session_end",
}
_TOOLS = ToolNames(
    shells=("Bash",),
    reads=("Read",),
    searches=("Grep",),
    edits=("Edit", "Write", "MultiEdit", "NotebookEdit"),
    fields={"notebook_path": "file_path"},
)


def _user_folders(home: str, env: Env) -> tuple[str, ...]:
    """Claude Code normalises the variable to NFC; an empty one is the folder that it is started in."""
    from unicodedata import normalize

    return (normalize("NFC", env.get("CLAUDE_CONFIG_DIR", f"{home}/.claude")),)


def _past_row(row: Row) -> list[PastEvent]:
    from recollect.agents.claude_code_past import read

    return read(row)


def _past_files(home: str, env: Env) -> tuple[str, ...]:
    """Not the folders below those of the projects: subagents have theirs there."""
    return tuple([f"{folder}/projects/*/*.jsonl" for folder in _user_folders(home, env)])


def _plugin_files(own: str) -> tuple[str, ...]:
    """Its settings; a later file outranks an earlier one."""
    return f"{own}/settings.json", _SETTINGS, _LOCAL_SETTINGS


def _has_plugin(texts: Texts, _folder: str) -> bool:
    from recollect.agents.lenient import inside, json_of

    values = [inside(json_of(text), "enabledPlugins", _PLUGIN) for text in texts]
    return any([value for value in values if value is not None][-1:])


def _permission_rules(text: str) -> list[Rule]:
    """`mcp__server__tool`, or `mcp__server` for all of its tools. One about certain arguments is for all."""
    from recollect.agents.lenient import inside, json_of
    from recollect.agents.permission_rules import effect_lists

    rules: list[Rule] = []
    for effect, entry in effect_lists(inside(json_of(text), "permissions"), "mcp__"):
        name, arguments, _ = entry.partition("(")
        if effect != "allow" or not arguments:
            rules.append((effect, f"mcp__{name}" if "__" in name else f"mcp__{name}__*", ()))
    return rules


_EVENTS = {**dict.fromkeys(_KINDS, ""), "PreToolUse": "Write|Edit|MultiEdit|NotebookEdit|Bash"}

HARNESS = Harness(
    name="claude-code",
    kinds=_KINDS,
    context_kinds=frozenset({"prompt", "session_start"}),
    read=lambda name, payload: event_of(name, payload, _KINDS),
    write=hook_specific,
    tools=_TOOLS,
    transcript=message_rows(_TOOLS),
    past=PastTranscripts(_past_row, lambda row: text_field(row, "timestamp"), files=_past_files),
    files=ProjectFiles(
        hooks_file=_SETTINGS,
        events=_EVENTS,
        servers_file=".mcp.json",
        skills=(
            *skill_files("skills/memory-{}.md", ".claude/skills/memory-{}/SKILL.md"),
            *skill_files("skills/command-{}.md", ".claude/commands/memory/{}.md"),
        ),
        search_skill="/memory:search",
    ),
    local_files=ProjectFiles(hooks_file=_LOCAL_SETTINGS, events=_EVENTS),
    local_server="run `claude mcp add --scope local recollect -- {}` here",
    # Not `.claude` alone: the memory root is in it by default.
    presence=Presence((_SETTINGS, _LOCAL_SETTINGS, "CLAUDE.md"), ("claude",), _user_folders),
    approval=Approval("start `claude` here once, trust the folder and accept the MCP server recollect"),
    plugin=Plugin(_plugin_files, _has_plugin),
    permissions=Permissions(_plugin_files, _permission_rules),
)
