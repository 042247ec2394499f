"""An endpoint of an API as a value: its route, the check of requests, and its description follow from it.

Query and body are frozen dataclasses of plain types; answers are the typed dicts of `views`. A query is read
leniently, because it is text; a body strictly: the text "1" is no number.
"""

import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Generic, Literal, TypeVar, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from recollect.errors import InvalidError, RecollectError
from recollect.loopback.answers import TooLargeError, code_of, error_answer, json_answer
from recollect.loopback.metrics import METRICS, REQUEST_SECONDS, REQUESTS
from recollect.loopback.principals import author_of, principal_of, record
from recollect.loopback.tracing import span
from recollect.team.audit import Outcome
from recollect.team.principal import Principal
from recollect.team.roles import Permission
from recollect.workflow.commands import Author

API = "/api/"
EVENT_STREAM = "text/event-stream"
PLAIN_TEXT = "text/plain"
MOST_BYTES = 4 * 1024 * 1024  # of a body: a memory has one megabyte at most
_PROBLEMS = 5  # of a query or body, that an error names
_LOG = logging.getLogger("recollect.loopback")

Method = Literal["GET", "POST", "PUT", "DELETE"]
_Door = TypeVar("_Door")
_Door_contra = TypeVar("_Door_contra", contravariant=True)


@dataclass(frozen=True, slots=True)
class NoValues:
    """Nothing is expected."""


@dataclass(frozen=True, slots=True)
class ApiCall(Generic[_Door]):
    """One request to an endpoint, checked. `door` is what the endpoints of a server ask.

    `query` and `body` are values of the types that the endpoint declares; `last_event` is the id of the last
    event that the client of a stream has.
    """

    door: _Door
    principal: Principal
    path: Mapping[str, str]
    query: Any
    body: Any
    last_event: str = ""

    @property
    def author(self) -> Author:
        """Who gives a command to a run."""
        return author_of(self.principal)


@dataclass(frozen=True, slots=True)
class Endpoint(Generic[_Door_contra]):
    """One method of one path. A handler returns what `answer` describes, or a response of its own.

    `permission` is what a caller must be allowed to do; `recorded_as` says of a body which one the audit log
    names, where that depends on the body. `answer` is a typed dict, or a media type.
    """

    method: Method
    path: str  # below /api/, with {names}
    permission: Permission
    summary: str
    answer: Any
    handler: Callable[[ApiCall[_Door_contra]], Awaitable[object]]
    query: type = NoValues
    body: type = NoValues
    recorded_as: Callable[[Any], Permission] | None = None

    @property
    def parameters(self) -> list[str]:
        """The names in the path."""
        parts = [part for part in self.path.split("/") if part.startswith("{")]
        return [part.strip("{}").removesuffix(":path") for part in parts]


def routes(endpoints: Iterable[Endpoint[_Door]], door: _Door) -> list[Route]:
    """The routes of an API. Errors become answers here; what nobody expected is logged."""
    return [
        Route(API + endpoint.path, _answering(endpoint, door), methods=[endpoint.method])
        for endpoint in endpoints
    ]


def _answering(endpoint: Endpoint[_Door], door: _Door) -> Callable[[Request], Awaitable[Response]]:
    async def checked(request: Request) -> Response:
        """Every request to every endpoint is checked, answered and recorded here."""
        try:
            principal_of(request.scope).require(endpoint.permission)
            call = await _call(endpoint, door, request)
        except (RecollectError, ClientDisconnect) as error:
            return await _recorded(request, endpoint.permission, endpoint, _failure(error, endpoint))
        permission = endpoint.recorded_as(call.body) if endpoint.recorded_as else endpoint.permission
        try:
            value = await endpoint.handler(call)
        except Exception as error:
            response = _failure(error, endpoint)
        else:
            response = value if isinstance(value, Response) else json_answer(value)
        return await _recorded(request, permission, endpoint, response)

    async def answer(request: Request) -> Response:
        started = time.perf_counter()
        with span(f"{endpoint.method} {API}{endpoint.path}") as attributes:
            response = await checked(request)
            attributes["http.response.status_code"] = str(response.status_code)
            attributes["recollect.role"] = principal_of(request.scope).role.value
        _measure(endpoint, request, response.status_code, time.perf_counter() - started)
        return response

    return answer


def _measure(endpoint: Endpoint[_Door], request: Request, code: int, seconds: float) -> None:
    route = {"method": endpoint.method, "route": endpoint.path}
    METRICS.count(REQUESTS, **route, code=str(code))
    METRICS.observe(REQUEST_SECONDS, seconds, **route)
    about = route | {
        "status": code,
        "milliseconds": round(seconds * 1_000, 1),
        "member": principal_of(request.scope).name,
    }
    _LOG.info("request", extra=about)


def _failure(error: Exception, endpoint: Endpoint[_Door]) -> Response:
    match error:
        case RecollectError():
            return error_answer(error)
        case TimeoutError():
            return error_answer("other requests are taking too long; try again.", 503)
        case OSError():
            return error_answer(f"the disk failed: {error.strerror or error}; try again.", 503)
        case ClientDisconnect():
            return error_answer("the body did not arrive.")
        case _:
            _LOG.error("%s %s%s failed", endpoint.method, API, endpoint.path, exc_info=error)
            return error_answer(f"unexpected {type(error).__name__}; the log says where.", 500)


async def _recorded(
    request: Request, permission: Permission, endpoint: Endpoint[_Door], response: Response
) -> Response:
    """The answer, once the audit log has it."""
    target = f"{endpoint.method} {request.url.path}"
    try:
        await record(request.scope, permission, target, _outcome(response))
    except RecollectError as error:
        return error_answer(f"it was answered, but could not be recorded: {error}", code_of(error))
    return response


def _outcome(response: Response) -> Outcome:
    if response.status_code < 400:
        return "done"
    return "refused" if response.status_code < 500 else "failed"


async def _call(endpoint: Endpoint[_Door], door: _Door, request: Request) -> ApiCall[_Door]:
    query = _checked_query(endpoint.query, request)
    body = endpoint.body() if endpoint.body is NoValues else await _checked_body(endpoint.body, request)
    last_event = request.headers.get("last-event-id", "")
    return ApiCall(door, principal_of(request.scope), request.path_params, query, body, last_event)


@cache
def adapter(kind: type) -> TypeAdapter[Any]:
    """What checks values of a type, and describes it."""
    return TypeAdapter(kind)


def _checked_query(kind: type, request: Request) -> Any:
    names = {field.name for field in fields(kind)}
    if unknown := sorted(set(request.query_params) - names):
        known = ", ".join(sorted(names)) or "none"
        raise InvalidError(f"unknown parameter {unknown[0]!r}; known: {known}.")
    hints = get_type_hints(kind)
    values: dict[str, object] = {
        name: request.query_params.getlist(name)
        if get_origin(hints[name]) in (tuple, list)
        else request.query_params[name]
        for name in names & set(request.query_params)
    }
    return _checked(lambda: adapter(kind).validate_python(values))


async def _checked_body(kind: type, request: Request) -> Any:
    data = await _body(request)
    return _checked(lambda: adapter(kind).validate_json(data, strict=True, extra="forbid"))


def _checked(validate: Callable[[], Any]) -> Any:
    try:
        return validate()
    except ValidationError as error:
        problems = [
            f"{'.'.join(map(str, problem['loc'])) or 'the request'}: {problem['msg']}"
            for problem in error.errors(include_url=False, include_input=False)[:_PROBLEMS]
        ]
        raise InvalidError("; ".join(problems)) from None


async def _body(request: Request) -> bytes:
    data = bytearray()
    async for chunk in request.stream():
        data += chunk
        if len(data) > MOST_BYTES:
            raise TooLargeError(f"a body has at most {MOST_BYTES:,} bytes.")
    return bytes(data)
