"""Runs over HTTP: list, show, follow as server-sent events, and give commands.

`docs/formats/run-api.md` specifies it. The door says who gives a command: an agent cannot approve.
"""

import json
import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Protocol

from pydantic import Field

from recollect.errors import InvalidError
from recollect.loopback.answers import json_answer
from recollect.loopback.endpoint import EVENT_STREAM, ApiCall, Endpoint
from recollect.loopback.streams import Streams
from recollect.team.roles import Permission
from recollect.views.runs import (
    CommandOutput,
    RunApprovalsOutput,
    RunOutput,
    RunsOutput,
    approval_row,
    event_row,
    run_output,
    run_row,
)
from recollect.workflow.calling import ApprovalQuestion
from recollect.workflow.commands import FOR_PEOPLE, Command, CommandName
from recollect.workflow.events import JournalEntry
from recollect.workflow.grants import Grant
from recollect.workflow.ports import RunRecord
from recollect.workflow.run_state import RunState

if TYPE_CHECKING:
    from recollect.app.run_commands import CommandResult

_LISTED, _DOOR = 100, "HTTP"


class RunAccess(Protocol):
    """The runs of a project, as the API asks for them. Each method raises StoreError."""

    async def records(self, limit: int) -> Sequence[RunRecord]:
        """The runs that changed last, newest first."""

    async def record(self, run: str) -> RunRecord:
        """A run as lists show it, by its id or the beginning of it. Raises NotFoundError."""

    async def look(self, run: str) -> RunState:
        """The state of a run. Raises NotFoundError."""

    async def approvals(self, run: str) -> Sequence[tuple[ApprovalQuestion, str]]:
        """The calls that wait for a person, each with the summary for them. Raises NotFoundError."""

    def follow(self, run: str, after: int = 0) -> AsyncIterator[JournalEntry]:
        """The events above a number, as they come, until the run has finished."""

    async def tell(self, run: str, command: Command) -> "CommandResult":
        """Apply a command. Raises NotFoundError, and RefusedError for a run that has ended."""

    async def grant(
        self, tool: str, arguments: Mapping[str, str], uses: int, minutes: float, by: str
    ) -> Grant:
        """Approve calls in advance. Raises RefusedError for a grant without bounds."""


class RunDoor(Protocol):
    """What the endpoints of runs ask of their server."""

    @property
    def streams(self) -> Streams: ...

    def runs(self) -> Awaitable[RunAccess]:
        """The runs. Raises RefusedError where there cannot be any."""


@dataclass(frozen=True, slots=True)
class RunEventsQuery:
    """Which events of a run."""

    after: Annotated[int, Field(ge=0, le=2**53, description="Events with a number above this one.")] = 0


@dataclass(frozen=True, slots=True)
class CommandBody:
    """A command for a run, with its arguments as docs/formats/run-events.md says."""

    name: CommandName
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GrantBody:
    """Calls that are approved beforehand: a tool, patterns by argument, how many and for how long."""

    tool: str
    arguments: dict[str, str]
    uses: int
    minutes: Annotated[int, Field(le=60 * 24 * 366)]


async def _list(call: ApiCall[RunDoor]) -> RunsOutput:
    records = await (await call.door.runs()).records(_LISTED)
    return RunsOutput(runs=[run_row(record) for record in records])


async def _show(call: ApiCall[RunDoor]) -> RunOutput:
    runs = await call.door.runs()
    run = (await runs.record(call.path["run"])).id
    return run_output(run, await runs.look(run))


async def _approvals(call: ApiCall[RunDoor]) -> RunApprovalsOutput:
    waiting = await (await call.door.runs()).approvals(call.path["run"])
    return RunApprovalsOutput(approvals=[approval_row(*each) for each in waiting])


async def _events(call: ApiCall[RunDoor]) -> object:
    query: RunEventsQuery = call.query
    if call.last_event and not call.last_event.isdecimal():
        raise InvalidError(f"{call.last_event!r} is not the number of an event.")
    runs = await call.door.runs()
    run = await runs.record(call.path["run"])
    entries = runs.follow(run.id, int(call.last_event or query.after))
    return call.door.streams.answer(_texts(entries))


async def _texts(entries: AsyncIterator[JournalEntry]) -> AsyncGenerator[str]:
    async for entry in entries:
        row = event_row(entry)
        yield f"id: {row['number']}\nevent: {row['name']}\ndata: {json.dumps(row)}\n\n"


async def _command(call: ApiCall[RunDoor]) -> object:
    body: CommandBody = call.body
    command = Command(secrets.token_hex(8), body.name, body.arguments, call.author, _door(call))
    result = await (await call.door.runs()).tell(call.path["run"], command)
    output = CommandOutput(id=result.id, status=result.status, reason=result.reason)
    if result.status == "refused":
        return json_answer(output | {"error": result.reason}, 409)
    return output


def _door(call: ApiCall[RunDoor]) -> str:
    """Where a command came from, and from which member of a team."""
    return f"{_DOOR} as {call.principal.name}" if call.principal.project else _DOOR


def _command_permission(body: CommandBody) -> Permission:
    return Permission.APPROVE_CALLS if body.name in FOR_PEOPLE else Permission.CONTROL_RUNS


async def _grant(call: ApiCall[RunDoor]) -> CommandOutput:
    body: GrantBody = call.body
    runs = await call.door.runs()
    grant = await runs.grant(
        body.tool, body.arguments, body.uses, body.minutes, f"person, {_door(call)}"
    )
    return CommandOutput(id=grant.id, status="applied", reason="")


RUN_ENDPOINTS: tuple[Endpoint[RunDoor], ...] = (
    Endpoint(
        "GET",
        "runs",
        Permission.READ_RUNS,
        "The runs of the project, the last changed first.",
        RunsOutput,
        _list,
    ),
    Endpoint("GET", "runs/{run}", Permission.READ_RUNS, "One run with its tasks.", RunOutput, _show),
    Endpoint(
        "GET",
        "runs/{run}/approvals",
        Permission.READ_RUNS,
        "The calls of a run that are waiting for a person.",
        RunApprovalsOutput,
        _approvals,
    ),
    Endpoint(
        "GET",
        "runs/{run}/events",
        Permission.READ_RUNS,
        "The events of a run: the past ones, then each new one until it ends.",
        EVENT_STREAM,
        _events,
        RunEventsQuery,
    ),
    Endpoint(
        "POST",
        "runs/{run}/commands",
        Permission.CONTROL_RUNS,
        "Send a command to a run.",
        CommandOutput,
        _command,
        body=CommandBody,
        recorded_as=_command_permission,
    ),
    Endpoint(
        "POST",
        "grants",
        Permission.APPROVE_CALLS,
        "Approve calls in advance.",
        CommandOutput,
        _grant,
        body=GrantBody,
    ),
)
