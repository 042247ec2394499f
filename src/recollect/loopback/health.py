"""Health and readiness, which whatever runs us asks without a token; they say nothing about a project."""

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from recollect.loopback.authentication import Authentication

HEALTH, READINESS = "/healthz", "/readyz"
OPEN_PATHS = (HEALTH, READINESS)


def health_routes(authentication: Authentication) -> list[Route]:
    """`/healthz`: this process answers. `/readyz`: it can serve requests; 503 with the reason if not."""

    async def healthy(_: Request) -> Response:
        return PlainTextResponse("ok\n")

    async def ready(_: Request) -> Response:
        reason = await authentication.unready()
        return PlainTextResponse(f"{reason or 'ok'}\n", 503 if reason else 200)

    return [Route(HEALTH, healthy, methods=["GET"]), Route(READINESS, ready, methods=["GET"])]
