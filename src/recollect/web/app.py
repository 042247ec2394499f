"""The page as an ASGI application."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from recollect.loopback.answers import error_answer
from recollect.loopback.authentication import Authentication, ProcessTokens
from recollect.loopback.endpoint import API, routes
from recollect.loopback.health import health_routes
from recollect.loopback.origins import LocalOrigins
from recollect.team.principal import LOCAL_AGENT, OWNER
from recollect.web.api import ENDPOINTS
from recollect.web.entrance import LocalEntrance, TeamEntrance
from recollect.web.guard import Guard
from recollect.web.keys import Keys
from recollect.web.page import WebPage
from recollect.web.static_files import page_file


def make_app(
    page: WebPage, keys: Keys, team: Authentication | None = None, public: str = ""
) -> ASGIApp:
    """The page behind its keys, or for the members of a team, where a proxy may offer it as `public`.

    Its lifespan opens and closes what works in the background.
    """

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with anyio.create_task_group() as tasks:
            page.start(tasks)
            yield
            await page.stop()
            tasks.cancel_scope.cancel()

    holder = LOCAL_AGENT if page.approval_refusal else OWNER
    entrance = LocalEntrance(keys, holder) if team is None else TeamEntrance(team, keys.port)
    app = Starlette(
        routes=[
            *health_routes(team or ProcessTokens({})),
            *routes(ENDPOINTS, page),
            Route(API + "{path:path}", _unknown),
            Route("/{path:path}", page_file),
        ],
        exception_handlers={HTTPException: _refused},
        lifespan=lifespan,
    )
    return Guard(app, entrance, LocalOrigins(keys.port, public if team else ""))


async def _unknown(request: Request) -> Response:
    return error_answer(
        f"{request.url.path!r} does not exist; GET /api/openapi.json lists the paths.", 404
    )


async def _refused(request: Request, error: Exception) -> Response:
    """What the router refuses, such as a method that a path does not have."""
    assert isinstance(error, HTTPException)
    if request.url.path.startswith(API):
        return error_answer(f"{error.detail}.", error.status_code)
    return PlainTextResponse(f"{error.detail}.\n", error.status_code)
