"""opencode. Our own plugin file (`opencode_shim.ts`) reports its hooks: opencode's names, our fields."""

from __future__ import annotations

from recollect.agents.harness import (
    Approval,
    Harness,
    OwnFile,
    PastTranscripts,
    Permissions,
    Presence,
    ProjectFiles,
    skill_files,
)
from recollect.agents.payload import event_of, text_field, to_json
from recollect.values import replaced
from recollect.working.tools import ToolNames

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recollect.agents.event import Event, HookReply, Kind
    from recollect.agents.harness import Env
    from recollect.agents.past_events import PastEvent
    from recollect.agents.payload import Row
    from recollect.agents.permission_rules import Rule

_KINDS: dict[str, Kind] = {
    "chat.message": "prompt",
    "session.created": "session_start",
    "tool.execute.before": "tool_before",
    "tool.execute.after": "tool_after",
    "experimental.session.compacting": "compact",
    "session.idle": "stop",
    "session.deleted": "session_end",
}
_CONTEXT_KINDS: frozenset[Kind] = frozenset({"prompt", "session_start"})


def _read(name: str, payload: Mapping[str, Any]) -> Event:
    """`opencode run` puts quotes around a prompt of several words."""
    event = event_of(name, payload, _KINDS)
    inside = event.prompt[1:-1]
    is_quoted = event.prompt == f'"{inside}"' and '"' not in inside
    return replaced(event, prompt=inside) if is_quoted else event


def _write(event: Event, reply: HookReply) -> str:
    """What the plugin file reads: `context` for the conversation, or `deny` before a tool."""
    if reply.deny and event.kind == "tool_before":
        return to_json({"deny": reply.deny})
    if reply.context and event.kind in _CONTEXT_KINDS:
        return to_json({"context": reply.context})
    return ""


def _server_entry(words: Sequence[str]) -> dict[str, object]:
    return {"type": "local", "command": list(words), "enabled": True}


def _user_folders(home: str, env: Env) -> tuple[str, ...]:
    """OPENCODE_CONFIG_DIR is read in addition to the others, not instead of them."""
    main = f"{env.get('XDG_CONFIG_HOME') or f'{home}/.config'}/opencode"
    more = env.get("OPENCODE_CONFIG_DIR")
    return (main, more) if more else (main,)


def _past_row(row: Row) -> list[PastEvent]:
    from recollect.agents.opencode_past import read

    return read(row)


def _data_folder(home: str, env: Env) -> str:
    return f"{env.get('XDG_DATA_HOME') or f'{home}/.local/share'}/opencode"


def _permission_rules(text: str) -> list[Rule]:
    """`permission` maps a name to an effect; `tools`, the older way, switches one on or off."""
    from recollect.agents.lenient import inside, json_of
    from recollect.agents.permission_rules import effect_of_patterns

    settings = json_of(text)
    switches = inside(settings, "tools")
    off = [name for name, on in switches.items() if on is False] if isinstance(switches, dict) else []
    rules = effect_of_patterns(inside(settings, "permission"))
    return [*rules, *[("deny", str(name), ()) for name in off]]


HARNESS = Harness(
    name="opencode",
    kinds=_KINDS,
    context_kinds=_CONTEXT_KINDS,
    read=_read,
    write=_write,
    tools=ToolNames(
        shells=("bash",),
        reads=("read",),
        searches=("grep",),
        edits=("edit", "write", "multiedit", "patch", "apply_patch"),
        fields={"filePath": "file_path", "patchText": "patch"},
    ),
    # A folder of small files until version 1.1, a database since.
    past=PastTranscripts(
        _past_row,
        lambda row: text_field(row, "at"),
        folders=lambda home, env: (f"{_data_folder(home, env)}/storage",),
        databases=lambda home, env: (f"{_data_folder(home, env)}/opencode.db",),
    ),
    files=ProjectFiles(
        servers_file="opencode.json",
        servers_key="mcp",
        server_entry=_server_entry,
        own_file=OwnFile(
            ".opencode/plugins/recollect.ts", "// Recollect in opencode.", template="opencode_shim.ts"
        ),
        skills=(
            *skill_files("skills/memory-{}.md", ".opencode/skills/memory-{}/SKILL.md"),
            *skill_files("skills/command-{}.md", ".opencode/commands/memory-{}.md"),
        ),
        search_skill="/memory-search",
    ),
    presence=Presence((".opencode", "opencode.json", "opencode.jsonc"), ("opencode",), _user_folders),
    approval=Approval(
        "start `opencode`: there is nothing to approve, but its first start waits while it installs its own"
        " plugin support from npm"
    ),
    permissions=Permissions(lambda own: (f"{own}/opencode.json", "opencode.json"), _permission_rules),
)
