"""MCP servers in the settings of harnesses, as `mcpServers` has them; a wrong shape is left out."""

from collections.abc import Mapping
from typing import Any

from recollect.agents.lenient import inside, json_of, toml_of

Entries = Mapping[str, Mapping[str, Any]]
_KEYS = ("type", "command", "args", "env", "cwd", "url", "headers", "disabled")


def json_servers(text: str, *keys: str) -> Entries:
    """Servers below these keys of a JSON file, as most harnesses write them."""
    return _entries(inside(json_of(text), *keys))


def toml_servers(text: str, key: str) -> Entries:
    """Servers of a TOML file. Codex calls headers `http_headers` and has `enabled`."""
    servers = _entries(inside(toml_of(text), key), {"http_headers": "headers"})
    off = _switched_off(inside(toml_of(text), key))
    return {
        name: entry | ({"disabled": True} if name in off else {}) for name, entry in servers.items()
    }


def opencode_servers(text: str) -> Entries:
    """Opencode has program and arguments in one list, `environment`, and `enabled`."""
    servers: dict[str, Mapping[str, Any]] = {}
    table = inside(json_of(text), "mcp")
    off = _switched_off(table)
    for name, entry in table.items() if isinstance(table, dict) else ():
        words = inside(entry, "command")
        if isinstance(words, list) and words:
            row = {"command": words[0], "args": words[1:], "env": inside(entry, "environment") or {}}
        elif isinstance(inside(entry, "url"), str):
            row = {"type": "http", "url": entry["url"], "headers": inside(entry, "headers") or {}}
        else:
            continue
        servers[name] = row | ({"disabled": True} if name in off else {})
    return servers


def _entries(table: object, renamed: Mapping[str, str] = {}) -> dict[str, dict[str, Any]]:
    entries: dict[str, dict[str, Any]] = {}
    for name, entry in table.items() if isinstance(table, dict) else ():
        if isinstance(entry, dict) and ("command" in entry or "url" in entry):
            plain = {renamed.get(key, key): value for key, value in entry.items()}
            entries[str(name)] = {key: plain[key] for key in _KEYS if key in plain}
    return entries


def _switched_off(table: object) -> set[str]:
    return {
        str(name)
        for name, entry in (table.items() if isinstance(table, dict) else ())
        if inside(entry, "enabled") is False
    }
