"""The MCP servers that harnesses have: which there are, where, and whether the gateway has them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from recollect import paths
from recollect.agents.ownership import SERVER
from recollect.agents.server_entries import HarnessEntry
from recollect.agents.servers_files import ServersFile, project_files, user_files
from recollect.app.gateway import Gateway
from recollect.errors import RecollectError, RefusedError
from recollect.gateway.upstream import StdioServer, Upstream, parse_upstream

MOST_BYTES = 64 * 1024 * 1024  # Claude Code keeps its history in the same file

State = Literal["new", "same", "different", "invalid", "unsupported"]


@dataclass(frozen=True, slots=True)
class HarnessServer:
    """A server of a harness, and how it compares with the gateway's of that name.

    `invalid` ones cannot be read, and `unsupported` ones have something that the gateway does not; `problem`
    says what.
    """

    name: str
    entry: Mapping[str, Any]
    file: ServersFile
    state: State
    problem: str = ""

    @property
    def source(self) -> str:
        """The file that has it."""
        return self.file.path

    @property
    def from_project(self) -> bool:
        """Whether a repository brings it, so that it is a program that others chose."""
        return self.file.is_project


def harness_servers(gateway: Gateway, folder: Path, env: Mapping[str, str]) -> list[HarnessServer]:
    """Every server that a harness has for this user or this project; ours is left out."""
    known = gateway.upstreams()
    servers: dict[tuple[str, str, tuple[str, ...]], HarnessServer] = {}
    for file in (*user_files(paths.home(env), env, str(folder)), *project_files(str(folder))):
        for name, harness_entry in file.servers(_text(file.path), file.keys).items():
            if name != SERVER:
                server = _compared(name, harness_entry, file, known)
                servers.setdefault((name, file.path, file.keys), server)
    return list(servers.values())


def add_server(gateway: Gateway, server: HarnessServer) -> None:
    """Add the server to the gateway. Raises RefusedError for a secret in it, or a name that is taken."""
    if server.problem:
        raise RefusedError(server.problem)
    gateway.add(server.name, server.entry)


def _compared(
    name: str, harness_entry: HarnessEntry, file: ServersFile, known: Mapping[str, Upstream]
) -> HarnessServer:
    entry = harness_entry.entry
    try:
        upstream = parse_upstream(name, dict(entry), file.path)
    except RecollectError as error:
        return HarnessServer(name, entry, file, "invalid", str(error))
    if problem := _unsupported(upstream, harness_entry, file):
        return HarnessServer(name, entry, file, "unsupported", problem)
    same = name in known and known[name].server == upstream.server
    state: State = "new" if name not in known else "same" if same else "different"
    return HarnessServer(name, entry, file, state)


def _unsupported(upstream: Upstream, harness_entry: HarnessEntry, file: ServersFile) -> str:
    """Why the gateway would run another server than the harness does; '' if it would not."""
    where = f"{file.path}: the server {upstream.name!r}"
    if harness_entry.unsupported:
        named = ", ".join(f"`{part}`" for part in harness_entry.unsupported)
        return (
            f"{where} has {named}, which the gateway does not support; leave it there, or add it with "
            "`recollect gateway add` and limit its tools with `recollect gateway policy`."
        )
    server = upstream.server
    if isinstance(server, StdioServer) and "/" in server.command and server.command[0] not in "/~$":
        return (
            f"{where} starts {server.command!r}, which would be a different program in another "
            "folder; add it with `recollect gateway add` and its full path."
        )
    return ""


def _text(path: str) -> str:
    try:
        return paths.read_plain(path, MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
