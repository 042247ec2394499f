"""The gateway of a user: which servers are configured, what they offer, and which tool fits a request."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect import clock, paths
from recollect.app.file_value import FileValue
from recollect.app.gateway_stores import DATABASE_NAME, configured_database, open_gateway_stores
from recollect.app.nobodys_secrets import NobodysSecrets, credentials_refusal
from recollect.app.running_servers import Running, restart_server, running_servers
from recollect.app.server_secrets import refuse_secrets
from recollect.app.state_source import Version, database_version
from recollect.app.stores import GatewayStores
from recollect.app.tool_search import ToolSearch, open_tool_search
from recollect.clock import Clock, precise_now
from recollect.errors import InvalidConfigError, NotFoundError, RefusedError, StoreError
from recollect.gateway.listing import ServerListing
from recollect.gateway.pins import Pin, ScreenedTool, pin_state, refusal, screen
from recollect.gateway.ports import (
    Catalogue,
    CatalogueChange,
    ObservedSchemas,
    Pins,
    PolicyRules,
    Projections,
    Secrets,
)
from recollect.gateway.receipts import ReceiptReport, receipt_report
from recollect.gateway.tool import UpstreamTool
from recollect.gateway.upstream import (
    Upstream,
    entry_of,
    origin_of,
    parse_upstream,
    parse_upstreams,
    resolved,
)
from recollect.storage import git
from recollect.storage.files import atomic
from recollect.storage.keyring import KeyringSecrets
from recollect.storage.private import make_folder

if TYPE_CHECKING:
    from recollect.app.finder import RunModel

SERVERS_NAME, LOGS_FOLDER = "gateway.json", "gateway-logs"
_MOST_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class ServerState:
    """A configured server, and what its last list of tools said; `listed_at` is empty before the first.

    `blocked` tools changed and wait for review; `flagged` ones have texts that a person should look at.
    """

    upstream: Upstream
    tools: int
    listed_at: str
    blocked: int = 0
    flagged: int = 0
    running: Running = field(default_factory=Running)


@dataclass(frozen=True, slots=True)
class Refreshed:
    """A server that was asked for its tools; the ids of those that are blocked and of those with flags."""

    tools: int
    change: CatalogueChange
    blocked: tuple[str, ...] = ()
    flagged: tuple[str, ...] = ()


class Gateway:
    """The upstream servers of one user. Only what the user configured is ever started.

    One that a team shares (`is_shared`) has no credentials: neither variables nor secrets nor logins.
    """

    is_shared = False

    def __init__(
        self, folder: Path, env: Mapping[str, str], clock: Clock, run: "RunModel | None" = None
    ) -> None:
        self.folder, self.env, self._clock, self._run = folder, env, clock, run

    def shared(self) -> "Gateway":
        """The same servers for a team, started with nobody's credentials."""
        gateway = Gateway(self.folder, self.env, self._clock, self._run)
        gateway.is_shared = True
        return gateway

    @property
    def file(self) -> Path:
        """Where the servers are configured."""
        return self.folder / SERVERS_NAME

    def now(self) -> datetime:
        """This moment, by the gateway's clock."""
        return self._clock()

    @cached_property
    def database(self) -> GatewayStores:
        """What is known of the user's servers: in the team's database where one is configured."""
        return open_gateway_stores(self.folder, self._database_url)

    @cached_property
    def _database_url(self) -> str:
        return configured_database(self.env)

    def stored_version(self) -> Version:
        """Numbers that differ when what is stored of the servers has changed; none without an answer."""
        if not self._database_url:
            return database_version(self.folder / DATABASE_NAME)
        with suppress(StoreError):
            return (self.database.version(),)
        return ()

    @property
    def catalogue(self) -> Catalogue:
        """Every tool, resource and prompt that a server has listed."""
        return self.database.catalogue

    def receipts(self, since: str = "") -> ReceiptReport:
        """What the tools cost from that day on, beside what listing them would cost."""
        uses = self.database.receipts.uses(since)
        return receipt_report(uses, self.catalogue.tools(), self.enabled)

    @property
    def pins(self) -> Pins:
        """The version of each tool that was accepted."""
        return self.database.pins

    @property
    def observed(self) -> ObservedSchemas:
        """What results of tools look like, for tools that declare no output schema."""
        return self.database.observed

    @property
    def policy(self) -> PolicyRules:
        """The user's rules about tools."""
        return self.database.policy

    @property
    def secrets(self) -> Secrets:
        """What `${keyring:NAME}` stands for."""
        return NobodysSecrets() if self.is_shared else KeyringSecrets("gateway")

    @property
    def logins(self) -> Secrets:
        """Logins at servers that somebody else runs, by the server's name."""
        return NobodysSecrets() if self.is_shared else KeyringSecrets("login")

    def started(self, upstream: Upstream) -> Upstream:
        """A server as it is started, with variables and secrets replaced; it is never written down.

        Raises InvalidConfigError for what is not set, StoreError without a keyring, and NotPermittedError
        where a team shares it.
        """
        if not self.is_shared:
            return resolved(upstream, self.env, self.secrets.get)
        try:
            return resolved(upstream, {}, self.secrets.get)
        except InvalidConfigError:
            raise credentials_refusal(upstream.name) from None

    @property
    def projections(self) -> Projections:
        """What agents read out of large results, and which fields previews show."""
        return self.database.projections

    def upstreams(self) -> Mapping[str, Upstream]:
        """The configured servers by name. Raises InvalidConfigError that names the file."""
        return self._upstreams.get()

    @cached_property
    def _upstreams(self) -> FileValue[Mapping[str, Upstream]]:
        name = str(self.file)
        return FileValue(name, lambda: parse_upstreams(self._document(), name))

    @property
    def enabled(self) -> list[str]:
        """The names of the servers that are configured and not switched off."""
        return [name for name, upstream in self.upstreams().items() if upstream.enabled]

    def upstream(self, name: str) -> Upstream:
        """One configured server."""
        upstreams = self.upstreams()
        if name not in upstreams:
            known = ", ".join(upstreams) or "none yet; `recollect gateway add` adds one"
            raise NotFoundError(f"there is no server {name!r}; configured: {known}.")
        return upstreams[name]

    def add(self, name: str, entry: Mapping[str, Any], *, replace: bool = False) -> Upstream:
        """Configure a server. Raises RefusedError for a name that is taken, and for a secret in the entry."""
        upstream = parse_upstream(name, dict(entry), "the command line")
        document = self._document()
        servers = document.setdefault("mcpServers", {})
        if name in servers and not replace:
            raise RefusedError(f"a server named {name!r} already exists; --replace overwrites it.")
        refuse_secrets(name, entry)
        servers[name] = entry_of(upstream)
        self._write(document)
        return upstream

    def remove(self, name: str) -> None:
        """Forget a server and its tools. Pins stay, so that adding it again accepts no change."""
        self.upstream(name)
        document = self._document()
        del document["mcpServers"][name]
        self._write(document)
        self.catalogue.forget(name)

    def trust(self, name: str, *, trusted: bool = True, call_cost: float | None = None) -> Upstream:
        """Let calls of a server that only read run ahead, or no longer. A cost of None stays as it was."""
        self.upstream(name)
        document = self._document()
        entry = document["mcpServers"][name]
        entry |= {"speculate": trusted} | ({} if call_cost is None else {"call_cost": call_cost})
        upstream = parse_upstream(name, entry, "the command line")
        self._write(document)
        return upstream

    def set_arguments(self, name: str, arguments: Sequence[str]) -> None:
        """Change the arguments of a server's program, and nothing else of its entry."""
        self.upstream(name)
        document = self._document()
        document["mcpServers"][name]["args"] = list(arguments)
        self._write(document)

    def states(self) -> list[ServerState]:
        """Every configured server with what is known of it."""
        listed, screened = self.catalogue.listed(), self._screened()
        running = running_servers(self.folder)

        states = []
        for name, upstream in sorted(self.upstreams().items()):
            tools = [tool for tool in screened if tool.accepted.server == name]
            blocked = sum(bool(tool.quarantine) for tool in tools)
            flagged = sum(bool(tool.flags) for tool in tools)
            states.append(
                ServerState(
                    upstream,
                    len(tools),
                    listed.get(name, ""),
                    blocked,
                    flagged,
                    running.get(name, Running()),
                )
            )
        return states

    def restart(self, name: str) -> int:
        """End the processes of a server for all clients; how many ran."""
        self.upstream(name)
        return restart_server(self.folder, name)

    def refresh(self, name: str) -> Refreshed:
        """Start a server, record what it offers, and stop it. Raises UpstreamError.

        It is told that it may ask for everything: some servers offer tools to able clients alone.
        """
        import anyio  # noqa: PLC0415 - the MCP client costs half a second

        from recollect.upstreams.client_roots import NoClient  # noqa: PLC0415
        from recollect.upstreams.connection import connected  # noqa: PLC0415

        upstream = self.started(self.upstream(name))
        log = self.log(name)
        make_folder(log.parent)

        async def ask() -> ServerListing:
            async with connected(upstream, log, NoClient(), self.logins) as connection:
                return await connection.listing()

        return self.record(name, anyio.run(ask))

    def follow(self, name: str, listing: ServerListing) -> bool:
        """Note what a running server lists now; false if it is nothing new, and nothing was written."""
        is_new = not self.catalogue.has(name, listing)
        if is_new:
            self._note(name, listing)
        return is_new

    def _note(self, name: str, listing: ServerListing) -> CatalogueChange:
        """Tools that were never seen are pinned; others stay pinned as they were accepted."""
        at = clock.to_text(self._clock())
        self.pins.first_use(name, listing.tools or (), origin_of(self.upstream(name)), at)
        return self.catalogue.record(name, listing, at)

    def record(self, name: str, listing: ServerListing) -> Refreshed:
        """Note what a server has just listed, and say what is new, blocked and flagged."""
        change = self._note(name, listing)
        tools = [tool for tool in self._screened() if tool.accepted.server == name]
        return Refreshed(
            len(tools),
            change,
            tuple(tool.id for tool in tools if tool.quarantine),
            tuple(tool.id for tool in tools if tool.flags),
        )

    def log(self, name: str) -> Path:
        """Where the standard error of a server goes."""
        return self.folder / LOGS_FOLDER / f"{name}.log"

    def tools(self) -> list[ScreenedTool]:
        """The tools of the servers that are switched on, as a model may see them, beside their pins."""
        enabled = self.enabled
        return [tool for tool in self._screened() if tool.accepted.server in enabled]

    def search(
        self, sees: Callable[[str], bool] = lambda _: True, previous: ToolSearch | None = None
    ) -> ToolSearch:
        """Search over the tools of the servers that are switched on and that the caller `sees`.

        What `previous` has embedded is not embedded again.
        """
        tools = [screened.tool for screened in self.tools() if sees(screened.tool.server)]
        return open_tool_search(tools, self.env, self._run, previous)

    def accepted(self, server: str, name: str) -> UpstreamTool:
        """The version of a tool that calls are checked against.

        Raises RefusedError while the server lists another one, and NotFoundError when it lists none.
        """
        listed = self.catalogue.tool(server, name)
        if listed is None:
            raise NotFoundError(f"the server {server!r} has no tool {name!r}.")
        pin = self.pins.get(server, name) or Pin(listed, "")
        if reason := refusal(pin.tool, pin_state(pin, listed)):
            raise RefusedError(reason)
        return pin.tool

    def known(self) -> object:
        """A value that changes when a server lists other tools, or a version is accepted."""
        return self.catalogue.revision(), self.pins.newest()

    def review(self, target: str = "") -> list[ScreenedTool]:
        """Tools for a person to look at: of all servers, of SERVER, or SERVER:TOOL. Raises NotFoundError."""
        server, _, name = target.partition(":")
        if server:
            self.upstream(server)
        tools = [tool for tool in self._screened() if not server or tool.accepted.server == server]
        if name and not any(tool.accepted.name == name for tool in tools):
            raise NotFoundError(f"the server {server!r} has no tool {name!r}.")
        return [tool for tool in tools if not name or tool.accepted.name == name]

    def accept(self, tools: Sequence[ScreenedTool]) -> None:
        """Pin the listed versions that were shown; a version that came after them stays blocked."""
        at, by = clock.to_text(self._clock()), acceptor(self.env)
        for tool in tools:
            self.pins.accept(tool.listed, at, by)

    def reject(self, tools: Sequence[ScreenedTool]) -> None:
        """Refuse the listed versions: the tools stay blocked, and nobody is asked again."""
        for tool in tools:
            self.pins.reject(tool.listed)

    def _screened(self) -> list[ScreenedTool]:
        return screen(self.catalogue.tools(), self.pins.all())

    def _document(self) -> dict[str, Any]:
        try:
            text = paths.read_plain(str(self.file), _MOST_BYTES).decode("utf-8-sig")
            document = json.loads(text)
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            raise InvalidConfigError(f"{str(self.file)!r} cannot be read: {error}.") from None
        parse_upstreams(document, str(self.file))
        return dict(document)

    def _write(self, document: Mapping[str, Any]) -> None:
        make_folder(self.folder)
        data = json.dumps(document, ensure_ascii=False, indent=2) + "\n"
        atomic.write(self.file, data.encode(), str(self.file), private=True)


def open_gateway(
    env: Mapping[str, str] = os.environ, clock: Clock = precise_now, run: "RunModel | None" = None
) -> Gateway:
    """The user's gateway, whose model `run` runs; no project is needed."""
    return Gateway(Path(paths.data_folder(env)), env, clock, run)


def acceptor(env: Mapping[str, str]) -> str:
    """Who accepts a change: the user whom git names, else the name of the login."""
    return git.ask(Path.cwd(), "config", "user.email") or env.get("USER") or env.get("USERNAME") or ""
