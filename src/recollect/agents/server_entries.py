"""MCP servers in the settings of harnesses, as `mcpServers` has them; a wrong shape is left out."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from recollect.agents.lenient import inside, json_of, toml_of

_KEYS = ("type", "command", "args", "env", "cwd", "url", "headers", "disabled")
# Without these a server does the same, or a person is asked more often.
_DROPPED = frozenset(
    {
        "alwaysAllow",
        "alwaysLoad",
        "autoApprove",
        "description",
        "displayName",
        "enabled",
        "gallery",
        "iconUrl",
        "name",
        "required",
        "startup_timeout_ms",
        "startup_timeout_sec",
        "timeout",
        "tool_timeout_sec",
        "trust",
        "version",
    }
)
_FOREIGN_VARIABLE = re.compile(r"\$\{(?!(?:env:)?[A-Za-z_][A-Za-z0-9_]*(?::-[^}]*)?\}|keyring:)[^}]*\}")
_WORKSPACE = re.compile(r"\$\{(?:env:)?(?:workspaceFolder|userHome|pathSeparator)\w*\}")
_BARE_VARIABLE = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)")
_OPENCODE_VARIABLE = re.compile(r"\{env:([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True, slots=True)
class HarnessEntry:
    """A server in our terms; `unsupported` names what the gateway has no counterpart for."""

    entry: Mapping[str, Any]
    unsupported: tuple[str, ...] = ()


Entries = Mapping[str, HarnessEntry]
Dialect = Callable[[str, tuple[str, ...]], Entries]


def json_servers(text: str, keys: tuple[str, ...]) -> Entries:
    """Servers below these keys of a JSON file, as most harnesses write them."""
    return _entries(inside(json_of(text), *keys), lambda entry: entry)


def gemini_servers(text: str, keys: tuple[str, ...]) -> Entries:
    """Gemini CLI has `httpUrl` for streamable HTTP, `url` for SSE, and `$NAME` for a variable."""

    def usual(entry: dict[str, Any]) -> dict[str, Any]:
        entry = _replaced(entry, _BARE_VARIABLE)
        if "httpUrl" in entry:
            return {"type": "http", "url": entry.pop("httpUrl"), **entry}
        return {"type": "sse", **entry} if "url" in entry and "type" not in entry else entry

    return _entries(inside(json_of(text), *keys), usual)


def codex_servers(text: str, keys: tuple[str, ...]) -> Entries:
    """Codex has `http_headers`, headers that name a variable each, and `enabled`."""

    def usual(entry: dict[str, Any]) -> dict[str, Any]:
        headers = dict(entry.pop("http_headers", {}))
        for header, variable in dict(entry.pop("env_http_headers", {})).items():
            headers[header] = f"${{{variable}}}"
        if variable := entry.pop("bearer_token_env_var", ""):
            headers["Authorization"] = f"Bearer ${{{variable}}}"
        return {**entry, **({"headers": headers} if headers else {})}

    return _entries(inside(toml_of(text), *keys), usual)


def opencode_servers(text: str, keys: tuple[str, ...]) -> Entries:
    """Opencode has program and arguments in one list, `environment`, `{env:NAME}`, and `enabled`."""

    def usual(entry: dict[str, Any]) -> dict[str, Any]:
        entry = _replaced(entry, _OPENCODE_VARIABLE)
        entry.pop("type", None)
        words, env = entry.pop("command", None), entry.pop("environment", {})
        if isinstance(words, list) and words:
            return {"command": words[0], "args": words[1:], "env": env, **entry}
        return {"type": "http", **entry}

    return _entries(inside(json_of(text), *keys), usual)


def _entries(table: object, usual: Callable[[dict[str, Any]], dict[str, Any]]) -> Entries:
    entries: dict[str, HarnessEntry] = {}
    for name, raw in table.items() if isinstance(table, dict) else ():
        if not isinstance(raw, dict) or not {"command", "url", "httpUrl"} & raw.keys():
            continue
        try:
            entry = usual(dict(raw))
        except (TypeError, ValueError):  # a value of a wrong type where the dialect has a table
            entry = dict(raw)
        entry |= {"disabled": True} if raw.get("enabled") is False else {}
        ours = {key: entry[key] for key in _KEYS if key in entry}
        unknown = [str(key) for key in entry if key not in _KEYS and key not in _DROPPED]
        entries[str(name)] = HarnessEntry(ours, (*unknown, *_foreign_variables(ours)))
    return entries


def _foreign_variables(entry: Mapping[str, Any]) -> list[str]:
    """Variables that only the harness can replace, such as `${input:key}`."""
    texts = str([value for key, value in entry.items() if key != "type"])
    names = [*_FOREIGN_VARIABLE.findall(texts), *_WORKSPACE.findall(texts)]
    return list(dict.fromkeys(names))


def _replaced(value: Any, variable: re.Pattern[str]) -> Any:
    """A value with the harness's way to name a variable changed into `${NAME}`."""
    match value:
        case str():
            return variable.sub(r"${\1}", value)
        case list():
            return [_replaced(item, variable) for item in value]
        case dict():
            return {key: _replaced(item, variable) for key, item in value.items()}
    return value
