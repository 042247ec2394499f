"""An upstream server as the user configured it, in the `mcpServers` shape that every harness reads."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from recollect.errors import InvalidConfigError
from recollect.gateway.digest import digest

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
START_SECONDS, CALL_SECONDS, IDLE_SECONDS = 30.0, 120.0, 900.0
MAX_CALLS = 32
_VARIABLE = re.compile(
    rf"\$\{{(?:keyring:(?P<secret>{NAME.pattern})"
    r"|(?:env:)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?)\}"
)

Texts = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class StdioServer:
    """A server that is a process of ours, spoken to through its input and output."""

    command: str
    arguments: tuple[str, ...] = ()
    env: Texts = field(default_factory=dict)
    folder: str = ""


@dataclass(frozen=True, slots=True)
class HttpServer:
    """A server that somebody else runs. `kind` is `http` (streamable) or `sse`."""

    url: str
    headers: Texts = field(default_factory=dict)
    kind: Literal["http", "sse"] = "http"


@dataclass(frozen=True, slots=True)
class Upstream:
    """One configured server. `shared` false: every client gets a process of its own.

    A process is stopped after `idle_seconds` without a request, never if that is 0. `speculate`: the user
    trusts its annotations, so that calls which only read may run ahead. `call_cost` is in dollars. `needs`
    has the ids of the tools that must be called before a tool of the server, by that tool's id.
    """

    name: str
    server: StdioServer | HttpServer
    enabled: bool = True
    shared: bool = True
    start_seconds: float = START_SECONDS
    call_seconds: float = CALL_SECONDS
    idle_seconds: float = IDLE_SECONDS
    max_calls: int = MAX_CALLS
    speculate: bool = False
    call_cost: float | None = None
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def parse_upstreams(document: object, where: str) -> dict[str, Upstream]:
    """The servers of a configuration file. Raises InvalidConfigError that names file, server and key."""
    servers = document.get("mcpServers", {}) if isinstance(document, dict) else None
    if not isinstance(servers, dict):
        raise InvalidConfigError(f"{where}: `mcpServers` must be an object of servers by name.")
    return {name: parse_upstream(name, entry, where) for name, entry in servers.items()}


def parse_upstream(name: str, entry: object, where: str) -> Upstream:
    """One server of a configuration file."""
    if not NAME.fullmatch(name):
        raise InvalidConfigError(
            f"{where}: {name!r} is not a valid server name; use 1 to 64 letters, digits, '_', '-' and '.'."
        )
    if not isinstance(entry, dict):
        raise InvalidConfigError(f"{where}: the server {name!r} must be an object.")
    read = _Entry(entry, f"{where}, server {name!r}")
    return Upstream(
        name,
        _server(read),
        enabled=not read.flag("disabled", default=False),
        shared=read.flag("shared", default=True),
        start_seconds=read.seconds("start_seconds", START_SECONDS),
        call_seconds=read.seconds("call_seconds", CALL_SECONDS),
        idle_seconds=read.idle_seconds(),
        max_calls=read.max_calls(),
        speculate=read.flag("speculate", default=False),
        call_cost=read.call_cost(),
        needs=read.needs(name),
    )


def _server(read: "_Entry") -> StdioServer | HttpServer:
    kind = read.text("type") or ("stdio" if "command" in read.entry else "http")
    if kind == "stdio":
        command = read.text("command")
        if not command:
            raise read.wrong("command", "the program to start")
        return StdioServer(command, read.texts("args"), read.mapping("env"), read.text("cwd"))
    url = read.text("url")
    if not url.startswith(("http://", "https://")):
        raise read.wrong("url", "an address that begins with http:// or https://")
    if kind == "sse":
        return HttpServer(url, read.mapping("headers"), "sse")
    if kind in ("http", "streamable-http", "streamableHttp"):
        return HttpServer(url, read.mapping("headers"))
    raise read.wrong("type", "stdio, http or sse")


@dataclass(frozen=True, slots=True)
class _Entry:
    """Typed access to one server's keys."""

    entry: Mapping[str, Any]
    where: str

    def wrong(self, key: str, allowed: str) -> InvalidConfigError:
        return InvalidConfigError(
            f"{self.where}: `{key}` is {self.entry.get(key)!r}; it must be {allowed}."
        )

    def text(self, key: str) -> str:
        value = self.entry.get(key, "")
        if not isinstance(value, str):
            raise self.wrong(key, "text")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        values = self.entry.get(key, [])
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise self.wrong(key, "a list of strings")
        return tuple(values)

    def mapping(self, key: str) -> Texts:
        values = self.entry.get(key, {})
        if not isinstance(values, dict) or not all(isinstance(value, str) for value in values.values()):
            raise self.wrong(key, "an object whose values are strings")
        return dict(values)

    def flag(self, key: str, *, default: bool) -> bool:
        value = self.entry.get(key, default)
        if not isinstance(value, bool):
            raise self.wrong(key, "true or false")
        return value

    def seconds(self, key: str, default: float) -> float:
        value = self.entry.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 3600:
            raise self.wrong(key, "a number of seconds from 0 to 3600")
        return float(value)

    def idle_seconds(self) -> float:
        value = self.entry.get("idle_seconds", IDLE_SECONDS)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 86_400:
            raise self.wrong("idle_seconds", "a number of seconds up to 86400, or 0 for never")
        return float(value)

    def max_calls(self) -> int:
        value = self.entry.get("max_calls", MAX_CALLS)
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 1000:
            raise self.wrong("max_calls", "a whole number from 1 to 1000")
        return value

    def call_cost(self) -> float | None:
        value = self.entry.get("call_cost")
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1_000:
            raise self.wrong("call_cost", "a number of dollars from 0 to 1000")
        return float(value)

    def needs(self, server: str) -> dict[str, tuple[str, ...]]:
        """A tool that is named without a server is one of this server."""
        value = self.entry.get("needs", {})
        if not isinstance(value, dict) or not all(
            isinstance(names, list) and all(isinstance(name, str) and name for name in names)
            for names in value.values()
        ):
            raise self.wrong("needs", 'an object like {"deploy": ["build", "git:git_commit"]}')
        return {
            f"{server}:{tool}": tuple(name if ":" in name else f"{server}:{name}" for name in names)
            for tool, names in value.items()
        }


def entry_of(upstream: Upstream) -> dict[str, Any]:
    """A server as a configuration file has it; what is as by default is left out."""
    server = upstream.server
    entry: dict[str, Any]
    if isinstance(server, StdioServer):
        entry = {"command": server.command, "args": list(server.arguments), "env": dict(server.env)}
        entry |= {"cwd": server.folder} if server.folder else {}
    else:
        entry = {"type": server.kind, "url": server.url, "headers": dict(server.headers)}
    entry = {key: value for key, value in entry.items() if value}
    entry |= {} if upstream.enabled else {"disabled": True}
    entry |= {} if upstream.shared else {"shared": False}
    entry |= {"speculate": True} if upstream.speculate else {}
    entry |= {} if upstream.call_cost is None else {"call_cost": upstream.call_cost}
    if upstream.needs:
        entry["needs"] = {tool.partition(":")[2]: list(ids) for tool, ids in upstream.needs.items()}
    limits: dict[str, tuple[float, float]] = {
        "start_seconds": (upstream.start_seconds, START_SECONDS),
        "call_seconds": (upstream.call_seconds, CALL_SECONDS),
        "idle_seconds": (upstream.idle_seconds, IDLE_SECONDS),
        "max_calls": (upstream.max_calls, MAX_CALLS),
    }
    return entry | {key: value for key, (value, default) in limits.items() if value != default}


def origin_of(upstream: Upstream) -> str:
    """What a server runs, as a digest: equal for one server under two names."""
    return digest(
        {key: entry_of(upstream).get(key) for key in ("command", "args", "cwd", "url", "type")}
    )


def _no_secrets(_name: str) -> str | None:
    return None


def expanded(
    text: str, env: Texts, where: str, secret: Callable[[str], str | None] = _no_secrets
) -> str:
    """A text with `${NAME}`, `${NAME:-default}` and `${keyring:NAME}` replaced.

    Raises InvalidConfigError for what is not set, so that no server starts with half a secret.
    """

    def value(match: re.Match[str]) -> str:
        if match["secret"]:
            return _known_secret(match["secret"], where, secret)
        name, default = match["name"], match["default"]
        if name in env:
            return env[name]
        if default is None:
            raise InvalidConfigError(
                f"{where} needs the environment variable {name!r}, which is not set; export it and try again."
            )
        return str(default)

    return _VARIABLE.sub(value, text)


def _known_secret(name: str, where: str, secret: Callable[[str], str | None]) -> str:
    value = secret(name)
    if value is None:
        raise InvalidConfigError(
            f"{where} needs the secret {name!r}, which is not in the keyring; "
            f"`recollect gateway secret set {name}` stores it."
        )
    return value


def secrets_of(upstream: Upstream) -> list[str]:
    """The names of the secrets in the keyring that a server needs, in order."""
    server = upstream.server
    if isinstance(server, StdioServer):
        texts = [server.command, *server.arguments, *server.env.values(), server.folder]
    else:
        texts = [server.url, *server.headers.values()]
    return sorted(
        {match["secret"] for text in texts for match in _VARIABLE.finditer(text) if match["secret"]}
    )


def resolved(
    upstream: Upstream, env: Texts, secret: Callable[[str], str | None] = _no_secrets
) -> Upstream:
    """The server with variables and secrets replaced. It may hold secrets, and is for starting only."""
    server, where = upstream.server, f"the server {upstream.name!r}"

    def replaced(text: str) -> str:
        return expanded(text, env, where, secret)

    def every(texts: Texts) -> Texts:
        return {key: replaced(value) for key, value in texts.items()}

    started: StdioServer | HttpServer
    if isinstance(server, StdioServer):
        arguments = tuple(replaced(argument) for argument in server.arguments)
        started = StdioServer(
            replaced(server.command), arguments, every(server.env), replaced(server.folder)
        )
    else:
        started = HttpServer(replaced(server.url), every(server.headers), server.kind)
    return replace(upstream, server=started)
