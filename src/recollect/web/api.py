"""The API of the page: the endpoints of every view, and their description."""

from typing import Any

from recollect import __version__
from recollect.loopback.endpoint import EVENT_STREAM, ApiCall, Endpoint
from recollect.loopback.metrics_api import METRICS_ENDPOINT
from recollect.team.roles import Permission
from recollect.web import (
    graph_api,
    memories_api,
    overview_api,
    review_api,
    runs_api,
    session_api,
    tools_api,
    traces_api,
)
from recollect.web.openapi import document
from recollect.web.page import WebPage


async def _events(call: ApiCall[WebPage]) -> object:
    return call.door.streams.answer(call.door.changes.stream(call.last_event))


async def _describe(_: ApiCall[WebPage]) -> object:
    return description()


def description() -> dict[str, Any]:
    """The OpenAPI document of the API."""
    return document(ENDPOINTS, __version__)


ENDPOINTS: tuple[Endpoint[WebPage], ...] = (
    Endpoint(
        "GET", "openapi.json", Permission.READ_MEMORIES, "This description.", dict[str, Any], _describe
    ),
    Endpoint(
        "GET",
        "events",
        Permission.READ_MEMORIES,
        "Changes as they happen: `event` is memories, session, runs, tools, traces or review.",
        EVENT_STREAM,
        _events,
    ),
    METRICS_ENDPOINT,
    *overview_api.ENDPOINTS,
    *traces_api.ENDPOINTS,
    *session_api.ENDPOINTS,
    *memories_api.ENDPOINTS,
    *review_api.ENDPOINTS,
    *graph_api.ENDPOINTS,
    *runs_api.ENDPOINTS,
    *tools_api.ENDPOINTS,
)
