"""What a run needs of the world while it runs: tools to call, and somebody who approves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from recollect.gateway.vault.output_form import OutputForm
from recollect.records.json_format import Json, JsonObject
from recollect.workflow import events
from recollect.workflow.run_state import RunState
from recollect.workflow.task import Task


@dataclass(frozen=True, slots=True)
class TaskOutput:
    """What a call gave: a value, or the error that the tool reported.

    `handle`: the result is also in the vault, and `stored_as` says in which form the value is.
    """

    value: Json
    error: str = ""
    handle: str = ""
    source: events.OutputSource = "call"
    stored_as: OutputForm = ""


@dataclass(frozen=True, slots=True)
class TaskWait:
    """Code that waits for its calls `tasks`; `state` says how it goes on, empty: from the start."""

    tasks: tuple[str, ...]
    state: str = ""


CallResult: TypeAlias = TaskOutput | TaskWait


class PreparedCall(Protocol):
    """A tool that a task may call. `asks` says why a person has to be asked first, if so."""

    @property
    def effect(self) -> events.CallEffect: ...

    @property
    def asks(self) -> str: ...

    def problems(self, arguments: Mapping[str, Json]) -> Sequence[str]:
        """What is wrong with the arguments."""
        ...

    async def call(self, arguments: JsonObject) -> CallResult:
        """Call it. Raises UpstreamError when nobody knows what became of the call."""
        ...


class TaskCalls(Protocol):
    """How tasks reach their tools."""

    async def prepare(self, task: Task) -> PreparedCall:
        """Raises NotFoundError, RefusedError, and UpstreamError while nothing was called yet."""
        ...


@dataclass(frozen=True, slots=True)
class ApprovalQuestion:
    """A call that a person has to approve."""

    task: str
    approval: str
    tool: str
    arguments: JsonObject
    rule: str


@dataclass(frozen=True, slots=True)
class Consent:
    """A person agreed to a call beforehand: by a grant, or to all calls of its kind."""

    by: str
    grant: str = ""


@dataclass(frozen=True, slots=True)
class NoConsent:
    """Nobody agreed beforehand. `refusals` say why grants for the tool do not cover the call."""

    refusals: Sequence[str] = ()


class Approvals(Protocol):
    """Who approves calls."""

    async def consent(
        self, tool: str, effect: events.CallEffect, arguments: JsonObject
    ) -> Consent | NoConsent:
        """What covers the call; one use of a grant is taken. None: a person has to be asked."""
        ...

    async def answer(self, question: ApprovalQuestion, state: RunState) -> bool | None:
        """What a person says who can be asked now; None if there is nobody, or they do not say."""
        ...
