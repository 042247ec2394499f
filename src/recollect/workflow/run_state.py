"""The state of a run, reduced from its events. Values: an event makes a new state of the old one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from recollect.gateway.vault.output_form import OutputForm
from recollect.records.json_format import Json, JsonObject
from recollect.workflow.document import item_id
from recollect.workflow.events import CallEffect, FailureKind, OutputSource, PauseReason
from recollect.workflow.references import CONTEXT, INDEX, ITEM, OutputReference, read_from
from recollect.workflow.task import Task, Workflow
from recollect.workflow.task_graph import TaskGraph

TaskStatus = Literal[
    "pending",
    "ready",
    "waiting_approval",
    "running",
    "succeeded",
    "failed",
    "skipped",
    "cancelled",
    "in_doubt",
]
RunStatus = Literal["running", "paused", "succeeded", "partial", "failed", "aborted"]
ENDED: frozenset[TaskStatus] = frozenset({"succeeded", "failed", "skipped", "cancelled"})


@dataclass(frozen=True, slots=True)
class TaskRun:
    """One task and what happened to it.

    `values` are the items of its list once that is known, and `open_items` counts those that have not ended.
    `approval` names the call that a person is asked about; `approved` says that they said yes. Suspended code
    `awaits` calls of its own; `suspended` is its sealed state.
    """

    task: Task
    status: TaskStatus = "pending"
    attempts: int = 0
    effect: CallEffect = "write"
    arguments: JsonObject = field(default_factory=dict)
    output: Json = None
    source: OutputSource | None = None
    handle: str = ""
    stored_as: OutputForm = ""
    error: str = ""
    failure: FailureKind | None = None
    approval: str = ""
    approved: bool = False
    values: tuple[Json, ...] | None = None
    open_items: int = 0
    running_items: int = 0
    milliseconds: float = 0.0
    awaits: tuple[str, ...] = ()
    suspended: str = ""

    @property
    def has_ended(self) -> bool:
        return self.status in ENDED

    @property
    def is_calling(self) -> bool:
        """Whether a call of this task itself is open."""
        return self.status == "running" and self.values is None

    @property
    def has_expired(self) -> bool:
        """Whether the output was in the vault alone and is there no more."""
        return self.status == "succeeded" and bool(self.stored_as) and self.output is None

    @property
    def is_running_code(self) -> bool:
        """Whether code runs or waits for its calls: that is no call itself."""
        return self.status == "running" and bool(self.task.code)

    @property
    def is_list(self) -> bool:
        """Whether calls for the items of its list are open or still to come."""
        return self.status == "running" and self.values is not None


@dataclass(frozen=True, slots=True)
class RunState:
    """A run after some events. `ready` has the tasks that may start, in order.

    `accepted` are the failures after which the run was told to continue; `open_lists` counts the lists under
    way, `open_code` the tasks that run code. In the mode "each_layer" only tasks up to `layer` start.
    """

    workflow: Workflow
    graph: TaskGraph
    tasks: Mapping[str, TaskRun]
    counts: Mapping[TaskStatus, int]
    ready: Mapping[str, None] = field(default_factory=dict)
    status: RunStatus = "running"
    paused_for: PauseReason | None = None
    paused_about: tuple[str, ...] = ()
    aborting: bool = False
    accepted: frozenset[str] = frozenset()
    open_lists: int = 0
    open_code: int = 0
    layer: int = 0
    context: Mapping[str, Json] = field(default_factory=dict)
    messages: tuple[tuple[str, str], ...] = ()
    rehearsal: bool = False
    fork_of: str = ""

    @property
    def has_ended(self) -> bool:
        return self.status not in ("running", "paused")

    def failures(self) -> list[str]:
        """Tasks whose failure nobody has decided about, in the order of the workflow."""
        if self.workflow.decide == "never" or not self.counts.get("failed"):
            return []
        return [
            id
            for id, run in self.tasks.items()
            if run.status == "failed"
            and id not in self.accepted
            and run.task.item is None
            and run.task.origin is None
        ]

    def having(self, status: TaskStatus) -> list[str]:
        """The tasks with this status, in the order of the workflow."""
        if not self.counts.get(status):
            return []
        return [id for id, run in self.tasks.items() if run.status == status]

    def items(self, id: str) -> list[TaskRun]:
        """What happened to each item of a list, in order; nothing for any other task."""
        return [self.tasks[item_id(id, index)] for index in range(len(self.tasks[id].values or ()))]

    def wrote(self, id: str) -> bool:
        """Whether calls of a task, or of the items of its list, may have changed something."""
        run = self.tasks[id]
        return any(each.effect == "write" for each in ([run] if run.values is None else self.items(id)))

    def expired(self, id: str) -> list[TaskRun]:
        """The task, or those of its items, whose output has expired."""
        run = self.tasks[id]
        if run.status == "succeeded" and run.source == "items":
            return [item for item in self.items(id) if item.has_expired]
        return [run] if run.has_expired else []

    def with_task(self, run: TaskRun) -> "RunState":
        """The state with another version of one task."""
        id, old = run.task.id, self.tasks[run.task.id]
        before = old.status
        counts, ready = self.counts, self.ready
        if before != run.status:
            counts = {**counts, before: counts[before] - 1, run.status: counts.get(run.status, 0) + 1}
            if run.status == "ready":
                ready = {**ready, id: None}
            elif before == "ready":
                ready = {other: None for other in ready if other != id}
        return replace(
            self,
            tasks={**self.tasks, id: run},
            counts=counts,
            ready=ready,
            open_lists=self.open_lists + run.is_list - old.is_list,
            open_code=self.open_code + run.is_running_code - old.is_running_code,
        )


def reader(state: RunState, task: Task) -> Callable[[OutputReference], Json]:
    """Reads what a task refers to: outputs of tasks that succeeded, the context, and its own item."""
    sources: dict[str, Json] = {CONTEXT: dict(state.context)}
    if task.item is not None:
        values = state.tasks[task.item.parent].values or ()
        sources |= {ITEM: values[task.item.index], INDEX: task.item.index}

    def read(reference: OutputReference) -> Json:
        run = state.tasks.get(reference.source) if reference.is_output else None
        if run is not None and run.status == "succeeded":
            return read_from({reference.source: run.output})(reference)
        return read_from(sources)(reference)

    return read
