"""Serving the page until a signal comes, or the process that started it is gone."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import anyio
from starlette.types import ASGIApp

from recollect.app.person import require_person
from recollect.app.settings import config_of_folder
from recollect.app.shutdown import end_process, watch_for_end
from recollect.errors import NotPermittedError
from recollect.loopback.authentication import Authentication
from recollect.loopback.listening import HOST, HttpTransport, listen
from recollect.loopback.origins import public_origin
from recollect.views.web import WebOutput
from recollect.web.app import make_app
from recollect.web.keys import Keys
from recollect.web.page import WebPage
from recollect.web.static_files import is_built

_REQUEST_SECONDS = 20.0  # for a request to arrive
_STOP_WITHIN = 5.0  # seconds for a write that a run has under way


Announce = Callable[[WebOutput, str], None]


def serve(folder: Path, port: int, announce: Announce) -> None:
    """Serve the project of a folder; `announce` is called once the page can be opened.

    Its second argument is an address that opens the page once. Raises RefusedError where the port is taken.
    """
    config = config_of_folder(folder)
    public = public_origin(config.server.public_url)
    team = _team(folder) if config.database else None
    listener = listen(port)
    keys = Keys(int(listener.getsockname()[1]))
    refusal = "" if team else _approval_refusal()

    def make() -> tuple[WebPage, ASGIApp]:
        page = WebPage(folder, refusal, shared=team is not None)
        return page, make_app(page, keys, team, public)

    anyio.run(_serve, make, keys, listener, announce, os.getppid())


def _team(folder: Path) -> Authentication:
    """The members of the project's team. The driver of the database costs 100 ms."""
    from recollect.app.team_access import open_team_of  # noqa: PLC0415
    from recollect.app.team_tokens import TeamTokens  # noqa: PLC0415

    return TeamTokens(open_team_of(folder))


async def _serve(
    make: Callable[[], tuple[WebPage, ASGIApp]],
    keys: Keys,
    listener: socket.socket,
    announce: Announce,
    parent: int,
) -> None:
    (page, app), place = make(), f"http://{HOST}:{keys.port}/"
    output: WebOutput = {
        "address": place if page.shared else f"{place}?token={keys.token}",
        "port": keys.port,
        "token": "" if page.shared else keys.token,
        "person": not page.approval_refusal,
        "built": is_built(),
    }

    def accepting() -> None:
        announce(output, place if page.shared else f"{place}?token={keys.for_one_use()}")

    transport = HttpTransport(app, listener, accepting, _REQUEST_SECONDS)
    over = anyio.Event()

    async def run() -> None:
        await transport.serve()
        over.set()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(watch_for_end, parent, over)
        tasks.start_soon(run)
        await over.wait()
        with anyio.move_on_after(_STOP_WITHIN, shield=True) as stopping:
            page.streams.end()
            await transport.stop()
        if stopping.cancelled_caught:
            end_process()
        tasks.cancel_scope.cancel()


def _approval_refusal() -> str:
    """Why whoever started this may not approve; empty for a person."""
    try:
        require_person("approving on the page")
    except NotPermittedError as error:
        return str(error)
    except OSError:
        return "it is unknown who started this page, because `ps` is missing."
    return ""
