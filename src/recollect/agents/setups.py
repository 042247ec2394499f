"""Where each harness keeps its configuration, and which events we ask it for. Data; nothing is done here."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Shape = Literal["groups", "entries"]

# The hook ends itself long before; this is what the harness is told in case it cannot.
TIMEOUT_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Setup:
    """One harness's files, relative to the project, and how hooks and servers are written in them.

    `events` names each event with the tools it is about ("" for all). `timeout` is in the harness's unit.
    """

    hooks_file: str
    events: Mapping[str, str]
    timeout: int
    shape: Shape = "groups"
    servers_file: str = ""
    servers_key: str = "mcpServers"
    own_file: str = ""

    @property
    def files(self) -> tuple[str, ...]:
        """Every file that is read, and may be changed."""
        named = (self.hooks_file, self.servers_file, self.own_file)
        return tuple(dict.fromkeys(name for name in named if name))


SETUPS: dict[str, Setup] = {
    "claude-code": Setup(
        hooks_file=".claude/settings.json",
        events={
            "UserPromptSubmit": "",
            "SessionStart": "",
            "PreToolUse": "Write|Edit|MultiEdit|NotebookEdit|Bash",
            "PostToolUse": "",
            "PostToolUseFailure": "",
            "PreCompact": "",
            "Stop": "",
            "SessionEnd": "",
        },
        timeout=TIMEOUT_SECONDS,
        servers_file=".mcp.json",
    ),
    "codex": Setup(
        hooks_file=".codex/hooks.json",
        events={
            "UserPromptSubmit": "",
            "SessionStart": "",
            "PreToolUse": "apply_patch|Write|Edit|Bash|shell",
            "PostToolUse": "",
            "PreCompact": "",
            "Stop": "",
        },
        timeout=TIMEOUT_SECONDS,
        servers_file=".codex/config.toml",
    ),
    "cursor": Setup(
        hooks_file=".cursor/hooks.json",
        events={
            "sessionStart": "",
            "beforeSubmitPrompt": "",
            "preToolUse": "Write|Edit|Delete|Shell",
            "postToolUse": "",
            "postToolUseFailure": "",
            "preCompact": "",
            "stop": "",
            "sessionEnd": "",
        },
        timeout=TIMEOUT_SECONDS,
        shape="entries",
        servers_file=".cursor/mcp.json",
        own_file=".cursor/rules/recollect.mdc",
    ),
    # Not Gemini's PreCompress: it comes before every request, whether anything is compressed or not.
    "gemini": Setup(
        hooks_file=".gemini/settings.json",
        events={
            "BeforeAgent": "",
            "SessionStart": "",
            "BeforeTool": "write_file|replace|run_shell_command",
            "AfterTool": "",
            "AfterAgent": "",
            "SessionEnd": "",
        },
        timeout=TIMEOUT_SECONDS * 1000,
        servers_file=".gemini/settings.json",
    ),
    "opencode": Setup(
        hooks_file="",
        events={},
        timeout=0,
        servers_file="opencode.json",
        servers_key="mcp",
        own_file=".opencode/plugins/recollect.ts",
    ),
}


def shell_line(words: Sequence[str]) -> str:
    """The line that a shell runs for a hook: it ends with 0 although the program or its file is gone.

    An interpreter without its file ends with 2, which means to the harnesses that a prompt is to be blocked.
    """
    return f"{shlex.join(words)} || true"


def hook_entries(
    setup: Setup, hook_command: Callable[[str], Sequence[str]]
) -> dict[str, dict[str, object]]:
    """What goes into the hooks of each event; `hook_command` gives the words that run ours."""
    entries: dict[str, dict[str, object]] = {}
    for event, tools in setup.events.items():
        line = shell_line(hook_command(event))
        hook: dict[str, object] = {"command": line, "timeout": setup.timeout}
        matcher = {"matcher": tools} if tools else {}
        if setup.shape == "groups":
            entries[event] = {**matcher, "hooks": [{"type": "command", **hook}]}
        else:
            entries[event] = {**hook, **matcher}
    return entries


def server_entry(setup: Setup, words: Sequence[str]) -> dict[str, object]:
    """What goes into the MCP servers."""
    if setup.servers_key == "mcp":
        return {"type": "local", "command": list(words), "enabled": True}
    return {"command": words[0], "args": list(words[1:])}
