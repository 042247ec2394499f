"""Runs over HTTP, for the page: list, show, follow as server-sent events, and give commands.

`docs/formats/run-api.md` specifies it. The token says who gives a command: an agent's cannot approve.
"""

import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from recollect.app.runs import Runs
from recollect.errors import (
    InvalidError,
    NotFoundError,
    NotPermittedError,
    RecollectError,
    RefusedError,
    StoreError,
)
from recollect.views.runs import (
    CommandOutput,
    RunApprovalsOutput,
    RunsOutput,
    approval_row,
    event_row,
    run_output,
    run_row,
)
from recollect.workflow.commands import COMMANDS, Author, Command
from recollect.workflow.events import JournalEntry

API = "/api/"
AUTHOR = "recollect.author"  # where the token's holder stands in the scope of a request
_LISTED, _DOOR = 100, "HTTP"
_LONGEST_BODY = 1_000_000  # bytes
# The first that an error is decides.
_CODES: tuple[tuple[type[RecollectError], int], ...] = (
    (NotPermittedError, 403),
    (NotFoundError, 404),
    (RefusedError, 409),
    (InvalidError, 400),
    (StoreError, 503),
)
OpenRuns = Callable[[], Awaitable[Runs]]
_Handler = Callable[[Runs, Request], Awaitable[Response]]


def run_routes(runs: OpenRuns, security: TransportSecuritySettings, most_listeners: int) -> list[Route]:
    """The routes of the API, with the same checks of host and origin as the protocol's own."""
    checks, listeners = TransportSecurityMiddleware(security), _Listeners(most_listeners)

    def route(path: str, method: str, handler: _Handler) -> Route:
        async def answer(request: Request) -> Response:
            is_post = method == "POST"
            refusal = await checks.validate_request(request, is_post=is_post)
            if refusal is not None:
                return refusal
            try:
                return await handler(await runs(), request)
            except RecollectError as error:
                return JSONResponse({"error": str(error)}, _code(error))

        return Route(API + path, endpoint=answer, methods=[method])

    return [
        route("runs", "GET", _list),
        route("runs/{run}", "GET", _show),
        route("runs/{run}/approvals", "GET", _approvals),
        route("runs/{run}/events", "GET", listeners.follow),
        route("runs/{run}/commands", "POST", _command),
        route("grants", "POST", _grant),
    ]


def _code(error: RecollectError) -> int:
    return next((code for kind, code in _CODES if isinstance(error, kind)), 500)


async def _list(runs: Runs, _: Request) -> Response:
    records = await runs.records(_LISTED)
    return JSONResponse(RunsOutput(runs=[run_row(record) for record in records]))


async def _show(runs: Runs, request: Request) -> Response:
    run = request.path_params["run"]
    return JSONResponse(run_output(run, await runs.look(run)))


async def _approvals(runs: Runs, request: Request) -> Response:
    waiting = await runs.approvals(request.path_params["run"])
    return JSONResponse(RunApprovalsOutput(approvals=[approval_row(*each) for each in waiting]))


async def _command(runs: Runs, request: Request) -> Response:
    body = await _body(request)
    name, arguments = body.get("name"), body.get("arguments", {})
    if name not in COMMANDS or not isinstance(arguments, dict):
        raise InvalidError(f"a command has a name ({', '.join(COMMANDS)}) and arguments, an object.")
    author: Author = request.scope[AUTHOR]
    command = Command(secrets.token_hex(8), name, arguments, author, _DOOR)
    result = await runs.tell(request.path_params["run"], command)
    output = CommandOutput(id=result.id, status=result.status, reason=result.reason)
    return JSONResponse(output, 409 if result.status == "refused" else 200)


async def _grant(runs: Runs, request: Request) -> Response:
    if request.scope[AUTHOR] != "person":
        raise NotPermittedError("a grant is for a person, and this is an agent's token.")
    match await _body(request):
        case {
            "tool": str(tool),
            "arguments": dict(arguments),
            "uses": int(uses),
            "minutes": int(minutes),
        }:
            patterns = {str(name): str(pattern) for name, pattern in arguments.items()}
            grant = await runs.grant(tool, patterns, uses, minutes, f"person, {_DOOR}")
            return JSONResponse(CommandOutput(id=grant.id, status="applied", reason=""))
    raise InvalidError("a grant has a tool, arguments (patterns by name), uses and minutes.")


async def _body(request: Request) -> Mapping[str, Any]:
    data = bytearray()
    async for chunk in request.stream():
        data += chunk
        if len(data) > _LONGEST_BODY:
            raise InvalidError(f"a command has at most {_LONGEST_BODY:,} bytes.")
    try:
        body = json.loads(data)
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise InvalidError("the body is no JSON object.")
    return body


class _Listeners:
    """Those who follow runs, up to a maximum. Each reads the journal at its own speed."""

    def __init__(self, most: int) -> None:
        self._free = most

    async def follow(self, runs: Runs, request: Request) -> Response:
        """The events after a number, as they come, until the run has finished."""
        if not self._free:
            return JSONResponse({"error": "too many listeners; end one first"}, 503)
        after = request.headers.get("last-event-id") or request.query_params.get("after") or "0"
        if not after.isdecimal():
            raise InvalidError(f"{after!r} is no number of an event.")
        run = await runs.record(request.path_params["run"])
        events = self._counted(runs.follow(run.id, int(after)))
        return StreamingResponse(
            events, media_type="text/event-stream", headers={"Cache-Control": "no-store"}
        )

    async def _counted(self, entries: AsyncIterator[JournalEntry]) -> AsyncIterator[str]:
        self._free -= 1
        try:
            async for entry in entries:
                row = event_row(entry)
                yield f"id: {row['number']}\nevent: {row['name']}\ndata: {json.dumps(row)}\n\n"
        finally:
            self._free += 1
