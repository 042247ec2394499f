"""The metrics of this process as an endpoint."""

from starlette.responses import PlainTextResponse

from recollect.loopback.endpoint import PLAIN_TEXT, ApiCall, Endpoint
from recollect.loopback.metrics import METRICS
from recollect.team.roles import Permission


async def _metrics(_: ApiCall[object]) -> PlainTextResponse:
    return PlainTextResponse(METRICS.text(), media_type="text/plain; version=0.0.4")


METRICS_ENDPOINT: Endpoint[object] = Endpoint(
    "GET",
    "metrics",
    Permission.READ_TRACES,
    "Counts and durations of requests, for Prometheus.",
    PLAIN_TEXT,
    _metrics,
)
