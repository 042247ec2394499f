"""What can happen to a run: one closed, versioned list. The state of a run is what its events add up to.

`docs/formats/run-events.md` specifies them. Fields are JSON, so that an event is stored as it is.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeAlias, get_args

from recollect.errors import InvalidError
from recollect.gateway.vault.output_form import OutputForm
from recollect.records.json_format import Json, JsonObject

VERSION = 1

CallEffect = Literal["read", "repeatable", "write"]
RunEnd = Literal["succeeded", "partial", "failed", "aborted"]
PauseReason = Literal[
    "command", "error", "layer", "task", "approval", "in_doubt", "missing_value", "stopped"
]
FailureKind = Literal["tool", "server", "arguments", "timeout", "refused", "condition", "items"]
OutputSource = Literal["call", "items", "speculation", "recording", "schema", "fork", "person"]


@dataclass(frozen=True, slots=True)
class RunStarted:
    """A workflow begins. `rehearsal`: no upstream is called. `fork_of` is the run it was made from."""

    workflow: JsonObject
    rehearsal: bool = False
    fork_of: str = ""


@dataclass(frozen=True, slots=True)
class RunResumed:
    """Another process has the run now; calls that were open when the last one ended are open no more."""


@dataclass(frozen=True, slots=True)
class RunPaused:
    """No task starts until the run continues. `tasks` are those that somebody has to decide about."""

    reason: PauseReason
    tasks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunContinued:
    """Tasks start again. `accepts`: failures so far are accepted, so that what needs them is skipped."""

    accepts: bool = True


@dataclass(frozen=True, slots=True)
class RunAborting:
    """No task starts any more; the run ends when open calls have ended."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class RunFinished:
    """Every task has ended."""

    status: RunEnd


@dataclass(frozen=True, slots=True)
class TasksAdded:
    """Tasks that were injected or planned anew."""

    tasks: tuple[JsonObject, ...]
    by: str


@dataclass(frozen=True, slots=True)
class TaskReady:
    """Everything that a task waits for is there."""

    task: str


@dataclass(frozen=True, slots=True)
class TaskExpanded:
    """A task is done once for each of so many items.

    `values` has the items where they come from an output that only the vault has, because that expires.
    """

    task: str
    items: int
    values: list[Json] | None = None


@dataclass(frozen=True, slots=True)
class ApprovalRequested:
    """A person has to approve a call. `approval` names this call and no other."""

    task: str
    approval: str
    arguments: JsonObject
    rule: str


@dataclass(frozen=True, slots=True)
class ApprovalDecided:
    """A person said yes or no, or a grant covered the call. `by` says who and where."""

    task: str
    approval: str
    approved: bool
    by: str
    grant: str = ""


@dataclass(frozen=True, slots=True)
class TaskStarted:
    """The intent to call: recorded before the call leaves, and for a write also synced to the disk."""

    task: str
    attempt: int
    effect: CallEffect
    arguments: JsonObject


@dataclass(frozen=True, slots=True)
class TaskSucceeded:
    """The output of a task. With a `handle` agents read it from the result vault, because it is large.

    `stored_as` says in which form the vault has the output; the journal then has null in its place.
    """

    task: str
    output: Json
    milliseconds: float = 0.0
    source: OutputSource = "call"
    handle: str = ""
    stored_as: OutputForm = ""


@dataclass(frozen=True, slots=True)
class TaskFailed:
    """The call is over and did not do what it should."""

    task: str
    error: str
    kind: FailureKind
    milliseconds: float = 0.0


@dataclass(frozen=True, slots=True)
class TaskRetried:
    """A try failed and another follows after so many seconds."""

    task: str
    error: str
    wait: float


@dataclass(frozen=True, slots=True)
class TaskSuspended:
    """Code waits for calls of its own and goes on when one has ended: from `state`, or from the start.

    From the start it makes no call again that is recorded.
    """

    task: str
    tasks: tuple[str, ...]
    state: str = ""


@dataclass(frozen=True, slots=True)
class TaskSkipped:
    """A task will not run."""

    task: str
    reason: str


@dataclass(frozen=True, slots=True)
class TaskCancelled:
    """A task was ended before its result was there."""

    task: str
    reason: str


@dataclass(frozen=True, slots=True)
class TaskInDoubt:
    """A write was begun, and nobody knows whether it happened. A person decides."""

    task: str
    reason: str


@dataclass(frozen=True, slots=True)
class TaskReset:
    """A task is to be done again, with other arguments if there are any here."""

    task: str
    reason: str
    arguments: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class ContextSet:
    """A command changed values of the context, key by key."""

    values: JsonObject


@dataclass(frozen=True, slots=True)
class MessageAdded:
    """What an agent or a person said to the run."""

    author: str
    text: str


@dataclass(frozen=True, slots=True)
class CommandApplied:
    """A command had its effect; the events before it are what it did."""

    id: str
    command: JsonObject
    by: str


@dataclass(frozen=True, slots=True)
class CommandRefused:
    """A command had no effect."""

    id: str
    command: JsonObject
    by: str
    reason: str


RunEvent: TypeAlias = (
    RunStarted
    | RunResumed
    | RunPaused
    | RunContinued
    | RunAborting
    | RunFinished
    | TasksAdded
    | TaskReady
    | TaskExpanded
    | ApprovalRequested
    | ApprovalDecided
    | TaskStarted
    | TaskSucceeded
    | TaskFailed
    | TaskRetried
    | TaskSuspended
    | TaskSkipped
    | TaskCancelled
    | TaskInDoubt
    | TaskReset
    | ContextSet
    | MessageAdded
    | CommandApplied
    | CommandRefused
)
EVENTS: tuple[type[RunEvent], ...] = get_args(RunEvent)


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """An event with its place in the journal of its run, from 1, and its time.

    `redacted` has the paths within it that a secret was removed from.
    """

    number: int
    at: str
    event: RunEvent
    redacted: tuple[str, ...] = field(default=())


def name_of(kind: type[RunEvent]) -> str:
    """The name under which an event is stored: `TaskStarted` is `task_started`."""
    return "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in kind.__name__)[1:]


_NAMES: Mapping[str, type[RunEvent]] = {name_of(kind): kind for kind in EVENTS}
_KINDS: Mapping[type[RunEvent], str] = {kind: name for name, kind in _NAMES.items()}
_FIELDS: Mapping[type[RunEvent], tuple[str, ...]] = {
    kind: tuple(part.name for part in fields(kind)) for kind in EVENTS
}


def event_name(event: RunEvent) -> str:
    """The name of an event's kind."""
    return _KINDS[type(event)]


def event_fields(event: RunEvent) -> JsonObject:
    """The fields of an event; `event_of` reads them back."""
    content: dict[str, Any] = {name: getattr(event, name) for name in _FIELDS[type(event)]}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in content.items()}


def event_of(name: str, content: Mapping[str, Any]) -> RunEvent:
    """An event as it was stored. Raises InvalidError for one that this version does not know."""
    kind: Any = _NAMES.get(name)
    if kind is None or not set(content) <= set(_FIELDS[kind]):
        raise InvalidError(
            f"{name!r} is an event that this version does not know; a newer version of Recollect "
            "wrote it."
        )
    lists = {key: tuple(value) for key, value in content.items() if key == "tasks"}
    event: RunEvent = kind(**{**content, **lists})
    return event
