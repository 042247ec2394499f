"""Traces: how decisions were scored, how that turned out, and whether other parameters would be better."""

from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

from recollect.app.project import Recollect
from recollect.errors import NotFoundError, RefusedError
from recollect.learning.replay import compare, parameter_change
from recollect.learning.thresholds import STARTS, started
from recollect.learning.trace import Kind
from recollect.loopback.endpoint import ApiCall, Endpoint
from recollect.team.roles import Permission
from recollect.views.replays import ReplayOutput, replay_output
from recollect.views.thresholds import ThresholdsOutput, threshold_row
from recollect.views.traces import (
    TraceListOutput,
    TraceShowOutput,
    TraceStatsOutput,
    show_output,
    stats_output,
    trace_row,
)
from recollect.web.page import WebPage, in_project

_ALL = 100_000


@dataclass(frozen=True, slots=True)
class TracesQuery:
    """Which traces."""

    kind: Annotated[Kind | None, Field(description="Only these.")] = None
    limit: Annotated[int, Field(ge=1, le=2_000)] = 200


@dataclass(frozen=True, slots=True)
class ReplayQuery:
    """Parameters to try."""

    kind: Kind = "gate"
    param: Annotated[
        tuple[str, ...], Field(max_length=20, description="NAME=VALUE, such as threshold=0.5.")
    ] = field(default=())


def _traces(recollect: Recollect, call: ApiCall[WebPage]) -> TraceListOutput:
    query: TracesQuery = call.query
    return {"traces": [trace_row(trace) for trace in recollect.traces.latest(query.limit, query.kind)]}


def _trace(recollect: Recollect, call: ApiCall[WebPage]) -> TraceShowOutput:
    scoring = call.path["scoring"]
    traces = recollect.traces.of_scoring(scoring)
    if not traces:
        raise NotFoundError(f"no scoring, or more than one, has an id that begins with {scoring!r}.")
    return show_output(traces)


def _stats(recollect: Recollect, _: ApiCall[WebPage]) -> TraceStatsOutput:
    sequences, choice = recollect.traces.predictor()
    return stats_output(recollect.traces.latest(_ALL), sequences, choice)


def _thresholds(recollect: Recollect, _: ApiCall[WebPage]) -> ThresholdsOutput:
    known = {threshold.kind: threshold for threshold in recollect.thresholds}
    return {"thresholds": [threshold_row(known.get(kind) or started(kind)) for kind in STARTS]}


def _replay(recollect: Recollect, call: ApiCall[WebPage]) -> ReplayOutput:
    query: ReplayQuery = call.query
    changes = dict(parameter_change(text) for text in query.param)
    traces = recollect.traces.latest(_ALL, query.kind)
    try:
        return replay_output(compare(query.kind, traces, changes))
    except (OverflowError, ZeroDivisionError):
        raise RefusedError(f"with {', '.join(query.param)}, no score is a number.") from None


ENDPOINTS: tuple[Endpoint[WebPage], ...] = (
    Endpoint(
        "GET",
        "traces",
        Permission.READ_TRACES,
        "The latest scorings.",
        TraceListOutput,
        in_project(_traces),
        TracesQuery,
    ),
    Endpoint(
        "GET",
        "traces/{scoring}",
        Permission.READ_TRACES,
        "One scoring: the signals of each candidate, and the parameters.",
        TraceShowOutput,
        in_project(_trace),
    ),
    Endpoint(
        "GET",
        "trace-stats",
        Permission.READ_TRACES,
        "What the signals and parameters are worth; takes seconds with many traces.",
        TraceStatsOutput,
        in_project(_stats, slow=True),
    ),
    Endpoint(
        "GET",
        "thresholds",
        Permission.READ_TRACES,
        "The thresholds that adapt.",
        ThresholdsOutput,
        in_project(_thresholds),
    ),
    Endpoint(
        "GET",
        "replay",
        Permission.READ_TRACES,
        "Score stored traces again with other parameters.",
        ReplayOutput,
        in_project(_replay, slow=True),
        ReplayQuery,
    ),
)
