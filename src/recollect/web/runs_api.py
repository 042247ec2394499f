"""Runs: the API that `serve --http` has too, and what the page draws of them."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from recollect.errors import NotFoundError
from recollect.gateway.vault.reading import DEFAULT_TOKENS, FEWEST_TOKENS, MOST_TOKENS, ReadRequest
from recollect.loopback.endpoint import ApiCall, Endpoint
from recollect.loopback.run_api import RUN_ENDPOINTS
from recollect.team.roles import Permission
from recollect.views.run_tasks import (
    RunGraphOutput,
    RunTaskOutput,
    StoredResultOutput,
    run_graph_output,
    run_task_output,
)
from recollect.views.run_timeline import (
    RunLogOutput,
    RunTimelineOutput,
    run_log_output,
    run_timeline_output,
)
from recollect.web.page import WebPage


@dataclass(frozen=True, slots=True)
class ResultQuery:
    """Which piece of a stored result."""

    path: Annotated[str, Field(description="items[0].name, items[*].id")] = ""
    range: Annotated[str, Field(description="10:20 rows or lines, c0:4000 characters, -5:")] = ""
    search: Annotated[str, Field(description="Words, or /regex/.")] = ""
    part: Annotated[int, Field(ge=0, le=1_000, description="If it has several.")] = 0
    tokens: Annotated[int, Field(ge=FEWEST_TOKENS, le=MOST_TOKENS)] = DEFAULT_TOKENS


@dataclass(frozen=True, slots=True)
class LogQuery:
    """Which events of a run: the last ones, or those with numbers below `before`."""

    before: Annotated[int | None, Field(ge=1, le=2**53)] = None
    limit: Annotated[int, Field(ge=1, le=500)] = 100


async def _graph(call: ApiCall[WebPage]) -> RunGraphOutput:
    runs = await call.door.runs()
    run = (await runs.record(call.path["run"])).id
    return run_graph_output(run, await runs.look(run))


async def _task(call: ApiCall[WebPage]) -> RunTaskOutput:
    runs = await call.door.runs()
    run, task = (await runs.record(call.path["run"])).id, call.path["task"]
    state = await runs.look(run)
    if task not in state.tasks:
        raise NotFoundError(f"the run {run!r} has no task {task!r}.")
    return run_task_output(state.tasks[task], state.graph.sources.get(task, ()))


async def _timeline(call: ApiCall[WebPage]) -> RunTimelineOutput:
    runs = await call.door.runs()
    run = (await runs.record(call.path["run"])).id
    state, entries = await runs.happened(run)
    return run_timeline_output(run, state, entries, call.door.gateway.now())


async def _log(call: ApiCall[WebPage]) -> RunLogOutput:
    query: LogQuery = call.query
    runs = await call.door.runs()
    record = await runs.record(call.path["run"])
    last = record.events if query.before is None else min(record.events, query.before - 1)
    first = max(0, last - query.limit)
    return run_log_output(record.id, await runs.entries(record.id, first, last - first))


async def _result(call: ApiCall[WebPage]) -> StoredResultOutput:
    query: ResultQuery = call.query
    request = ReadRequest(query.path, query.range, query.search, query.tokens)
    runs = await call.door.runs()
    excerpt = await runs.result(call.path["handle"], request, query.part)
    piece = excerpt.piece
    return {
        "tool": excerpt.tool,
        "handle": excerpt.handle,
        "where": piece.where,
        "text": piece.text,
        "next": piece.next_range,
    }


ENDPOINTS: tuple[Endpoint[WebPage], ...] = (
    *RUN_ENDPOINTS,
    Endpoint(
        "GET",
        "runs/{run}/graph",
        Permission.READ_RUNS,
        "Which task waits for which.",
        RunGraphOutput,
        _graph,
    ),
    Endpoint(
        "GET",
        "runs/{run}/tasks/{task}",
        Permission.READ_RUNS,
        "One task: what went in and what came out.",
        RunTaskOutput,
        _task,
    ),
    Endpoint(
        "GET",
        "runs/{run}/timeline",
        Permission.READ_RUNS,
        "When each task waited and ran, and the critical path.",
        RunTimelineOutput,
        _timeline,
    ),
    Endpoint(
        "GET",
        "runs/{run}/log",
        Permission.READ_RUNS,
        "The events of a run in pages, the newest first.",
        RunLogOutput,
        _log,
        LogQuery,
    ),
    Endpoint(
        "GET",
        "results/{handle}",
        Permission.READ_RUNS,
        "A piece of a large result that was stored.",
        StoredResultOutput,
        _result,
        ResultQuery,
    ),
)
