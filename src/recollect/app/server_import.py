"""The MCP servers that harnesses have: which there are, where, and whether the gateway has them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from recollect import paths
from recollect.agents.server_entries import Entries, json_servers, opencode_servers, toml_servers
from recollect.app.gateway import Gateway
from recollect.errors import RecollectError
from recollect.gateway.upstream import Upstream, parse_upstream

_MOST_BYTES = 64 * 1024 * 1024  # Claude Code keeps its history in the same file
_OWN = "recollect"

State = Literal["new", "same", "different", "invalid"]


@dataclass(frozen=True, slots=True)
class HarnessServer:
    """A server of a harness. `from_project`: a repository brings it, so it is a program that others chose."""

    name: str
    entry: Mapping[str, Any]
    source: str
    from_project: bool
    state: State
    problem: str = ""


def harness_servers(gateway: Gateway, folder: Path, env: Mapping[str, str]) -> list[HarnessServer]:
    """Every server that a harness has for this user or this project; ours is left out."""
    known = gateway.upstreams()
    servers: dict[tuple[str, str], HarnessServer] = {}
    for path, from_project, read in _sources(folder, env):
        for name, entry in read(_text(path)).items():
            if name != _OWN:
                server = _compared(name, entry, str(path), known, from_project=from_project)
                servers.setdefault((name, str(path)), server)
    return list(servers.values())


def take_over(gateway: Gateway, server: HarnessServer) -> None:
    """Add the server to the gateway. Raises RefusedError for a secret in it, or a name that is taken."""
    gateway.add(server.name, server.entry)


def _compared(
    name: str,
    entry: Mapping[str, Any],
    source: str,
    known: Mapping[str, Upstream],
    *,
    from_project: bool,
) -> HarnessServer:
    try:
        upstream = parse_upstream(name, dict(entry), source)
    except RecollectError as error:
        return HarnessServer(name, entry, source, from_project, "invalid", str(error))
    same = name in known and known[name].server == upstream.server
    state: State = "new" if name not in known else "same" if same else "different"
    return HarnessServer(name, entry, source, from_project, state)


def _sources(
    folder: Path, env: Mapping[str, str]
) -> Iterator[tuple[Path, bool, Callable[[str], Entries]]]:
    """Files with servers, whether they are the project's, and how each is read."""
    home = Path(paths.home(env))
    config = Path(env.get("XDG_CONFIG_HOME") or home / ".config")
    usual = partial(_json, "mcpServers")
    claude = Path(env["CLAUDE_CONFIG_DIR"]) if env.get("CLAUDE_CONFIG_DIR") else home
    yield claude / ".claude.json", False, usual
    yield claude / ".claude.json", False, partial(_json, "projects", str(folder), "mcpServers")
    yield config / "Claude" / "claude_desktop_config.json", False, usual
    yield home / "Library/Application Support/Claude/claude_desktop_config.json", False, usual
    yield home / ".cursor" / "mcp.json", False, usual
    yield config / "Code/User/mcp.json", False, partial(_json, "servers")
    codex = Path(env.get("CODEX_HOME") or home / ".codex")
    yield codex / "config.toml", False, partial(_toml, "mcp_servers")
    gemini = Path(env.get("GEMINI_CLI_HOME") or home) / ".gemini"
    yield gemini / "settings.json", False, usual
    yield config / "opencode" / "opencode.json", False, opencode_servers
    yield folder / ".mcp.json", True, usual
    yield folder / ".cursor" / "mcp.json", True, usual
    yield folder / ".vscode" / "mcp.json", True, partial(_json, "servers")
    yield folder / ".codex" / "config.toml", True, partial(_toml, "mcp_servers")
    yield folder / ".gemini" / "settings.json", True, usual
    yield folder / "opencode.json", True, opencode_servers


def _json(*keys_and_text: str) -> Entries:
    *keys, text = keys_and_text
    return json_servers(text, *keys)


def _toml(key: str, text: str) -> Entries:
    return toml_servers(text, key)


def _text(path: Path) -> str:
    try:
        return paths.read_plain(str(path), _MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
