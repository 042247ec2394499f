"""Where harnesses keep MCP servers: the files of a user, and those of a project."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from recollect.agents.harness import command_and_args
from recollect.agents.server_entries import (
    Dialect,
    codex_servers,
    gemini_servers,
    json_servers,
    opencode_servers,
)

ServeEntry = Callable[[Sequence[str], Mapping[str, str]], dict[str, object]]


def usual_entry(words: Sequence[str], env: Mapping[str, str]) -> dict[str, object]:
    """Our server as most harnesses write one."""
    return {**command_and_args(words), **({"env": dict(env)} if env else {})}


def _stdio_entry(words: Sequence[str], env: Mapping[str, str]) -> dict[str, object]:
    return {"type": "stdio", **usual_entry(words, env)}


def _opencode_entry(words: Sequence[str], env: Mapping[str, str]) -> dict[str, object]:
    entry: dict[str, object] = {"type": "local", "command": list(words), "enabled": True}
    return {**entry, **({"environment": dict(env)} if env else {})}


@dataclass(frozen=True, slots=True)
class ServersFile:
    """A file with servers below `keys`. `is_project`: a repository brings it, and a team may share it.

    `project` is the folder that its servers are for; '' for those of every project.
    """

    path: str
    keys: tuple[str, ...] = ("mcpServers",)
    servers: Dialect = json_servers
    entry: ServeEntry = usual_entry
    is_project: bool = False
    project: str = ""

    @property
    def is_toml(self) -> bool:
        """Whether it is TOML; all others are JSON."""
        return self.path.endswith(".toml")


def user_files(home: str, env: Mapping[str, str], folder: str) -> Iterator[ServersFile]:
    """The files of a user; those of Claude Code also have servers for one project, `folder`."""
    config = env.get("XDG_CONFIG_HOME") or f"{home}/.config"
    claude = f"{env.get('CLAUDE_CONFIG_DIR') or home}/.claude.json"
    yield ServersFile(claude, entry=_stdio_entry)
    yield ServersFile(claude, ("projects", folder, "mcpServers"), entry=_stdio_entry, project=folder)
    yield ServersFile(f"{config}/Claude/claude_desktop_config.json")
    yield ServersFile(f"{home}/Library/Application Support/Claude/claude_desktop_config.json")
    yield ServersFile(f"{home}/.cursor/mcp.json")
    yield ServersFile(f"{config}/Code/User/mcp.json", ("servers",), entry=_stdio_entry)
    yield ServersFile(
        f"{home}/Library/Application Support/Code/User/mcp.json", ("servers",), entry=_stdio_entry
    )
    codex = f"{env.get('CODEX_HOME') or f'{home}/.codex'}/config.toml"
    yield ServersFile(codex, ("mcp_servers",), codex_servers)
    gemini = f"{env.get('GEMINI_CLI_HOME') or home}/.gemini/settings.json"
    yield ServersFile(gemini, servers=gemini_servers)
    yield ServersFile(f"{config}/opencode/opencode.json", ("mcp",), opencode_servers, _opencode_entry)


def project_files(folder: str) -> Iterator[ServersFile]:
    """The files of a project."""

    def of(
        name: str,
        keys: tuple[str, ...] = ("mcpServers",),
        servers: Dialect = json_servers,
        entry: ServeEntry = usual_entry,
    ) -> ServersFile:
        return ServersFile(f"{folder}/{name}", keys, servers, entry, is_project=True, project=folder)

    yield of(".mcp.json")
    yield of(".cursor/mcp.json")
    yield of(".vscode/mcp.json", ("servers",), entry=_stdio_entry)
    yield of(".codex/config.toml", ("mcp_servers",), codex_servers)
    yield of(".gemini/settings.json", servers=gemini_servers)
    yield of("opencode.json", ("mcp",), opencode_servers, _opencode_entry)
