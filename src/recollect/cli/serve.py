"""`serve`: the MCP server for agents."""

import gc
import os
import secrets
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.command import command
from recollect.cli.context import Start
from recollect.config import Config
from recollect.errors import InvalidConfigError, NotPermittedError, RefusedError
from recollect.installation import how_to_add

if TYPE_CHECKING:
    from recollect.app.team_tokens import TeamTokens

PORT = 8377
_SWITCH_SECONDS = 0.0001  # a thread that redacts a large result lets the calls of others through
TOKEN_VARIABLE = "RECOLLECT_TOKEN"

app = typer.Typer()


@command(
    app,
    "serve",
    "recollect serve",
    "recollect --project ~/shop serve",
    "recollect serve --http --port 0",
    f"{TOKEN_VARIABLE}=... recollect serve --http",
)
def serve(
    context: typer.Context,
    http: Annotated[
        bool, typer.Option("--http", help="Streamable HTTP on 127.0.0.1 instead of standard input.")
    ] = False,
    port: Annotated[
        int, typer.Option(min=0, max=65535, metavar="N", help="With --http; 0 takes any free port.")
    ] = PORT,
    token: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            show_default=False,
            help=f"With --http: the token of clients. [${TOKEN_VARIABLE}, else generated and printed]",
        ),
    ] = None,
) -> None:
    """Serve the project's memory to an agent, over MCP.

    Ends with the client, or with the process that started it. While it runs, it answers the prompt hook.
    """
    start: Start = context.obj
    _configure_logs()
    if token and not http:
        raise RefusedError("--token needs --http: over standard input there is only one client.")
    try:
        _serve(start.folder, http=http, port=port, token=token or os.environ.get(TOKEN_VARIABLE))
    except ModuleNotFoundError as error:
        raise RefusedError(
            f"the MCP server needs the package {error.name!r}; `{how_to_add('mcp')}` adds it."
        ) from None


def _configure_logs() -> None:
    from recollect.app.logs import configure_logs

    configure_logs(os.environ)


def _serve(folder: Path, *, http: bool, port: int, token: str | None) -> None:
    # Some agents list the tools a second after they start the server. The imports create thousands of
    # classes, none of which is garbage: collecting them takes a sixth of the start, and more later.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    sys.setswitchinterval(_SWITCH_SECONDS)
    gc.disable()
    from recollect.app.bounded_model import ANSWER_SECONDS, BackgroundRun
    from recollect.app.gateway import open_gateway
    from recollect.app.opening import open_project
    from recollect.app.shared_models import SharedModels
    from recollect.app.shutdown import end_process
    from recollect.app.worker import ProjectWorker
    from recollect.gateway.exposure import parse_exposure
    from recollect.hook.process import patience
    from recollect.server.gateway_offers import GatewayOffers
    from recollect.server.gateway_tools import GatewayTools
    from recollect.server.memory_tools import MemoryTools
    from recollect.tools.provider import Providers
    from recollect.tools.wrappers import TimeLimit

    config = _config(folder)
    team = _team(folder, config) if http else None
    servers = open_gateway()
    models = SharedModels(servers.folder, lambda: bool(servers.enabled))
    factor = patience(os.environ)
    run_model = BackgroundRun(models.run, ANSWER_SECONDS * factor, models.rerank, factor)
    worker = ProjectWorker(lambda: open_project(folder, run=run_model))
    exposure = parse_exposure(
        config.gateway.exposure,
        config.gateway.servers,
        config.gateway.pinned,
        config.gateway.listed_tokens,
        asks_person=config.gateway.client_asks_person
        and team is None,  # an agent of a team never approves
        speculates=config.gateway.speculation,
    )
    memory_tools = TimeLimit(MemoryTools(worker), config.server.tool_timeout_seconds)
    gateway = open_gateway(run=models.run)
    gateway_tools = GatewayTools(gateway.shared() if team else gateway, folder, exposure, worker)
    tools, offers = Providers(memory_tools, gateway_tools), GatewayOffers(gateway_tools)
    run: Callable[[], None]
    if http:
        from recollect.loopback.origins import public_origin
        from recollect.server.http import HttpService
        from recollect.server.http import serve as over_http

        served = HttpService(
            worker,
            tools,
            offers,
            gateway_tools.open_runs,
            "" if team else _person_token(),
            gateway_tools.finish_writes,
            team,
            public_origin(config.server.public_url),
        )
        run = partial(over_http, served, port, token)
    else:
        from recollect.server.stdio import serve as over_stdio

        run = partial(over_stdio, worker, tools, offers, gateway_tools.finish_writes)
    _name_overlaps(folder)
    gc.freeze()
    gc.enable()
    run()
    models.close()
    end_process()


def _team(folder: Path, config: Config) -> "TeamTokens | None":
    """The members of the project's team, where memories are in a database that people share."""
    if not config.database:
        return None
    from recollect.app.team_access import open_team_of
    from recollect.app.team_tokens import TeamTokens

    return TeamTokens(open_team_of(folder))


def _person_token() -> str:
    """A token for the person who started this; empty when an agent did."""
    from recollect.app.person import require_person

    try:
        require_person("a token that approves")
    except NotPermittedError:
        return ""
    return secrets.token_urlsafe(32)


def _name_overlaps(folder: Path) -> None:
    """Name rules that take each other's calls on standard error, which harnesses show in their logs."""
    from recollect.app.rules import overlapping_rules
    from recollect.app.settings import config_of_folder

    try:
        pairs = overlapping_rules(config_of_folder(folder))
    except InvalidConfigError:
        return  # each call reports it
    for first, second in pairs:
        print(
            f"recollect: the rule {first!r} comes before {second!r} and hides it.",
            file=sys.stderr,
        )


def _config(folder: Path) -> Config:
    """The configuration. The defaults where it is invalid: each call reports that."""
    from recollect.app.settings import config_of_folder

    try:
        return config_of_folder(folder)
    except InvalidConfigError:
        return Config()
