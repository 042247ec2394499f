"""A task calls one tool or runs code; a workflow is the tasks of one run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from recollect.errors import NotFoundError
from recollect.records.json_format import Json
from recollect.workflow.conditions import Condition
from recollect.workflow.references import OutputReference, references

TaskArguments: TypeAlias = Mapping[str, Mapping[str, Json]]  # by task
Decide = Literal["on_error", "each_layer", "each_task", "never"]
ApprovalNeed = Literal["policy", "always"]

CODE = "code"  # what stands for the tool of a task that runs code
CAPABILITY = "capability:"  # and before the name of a capability whose code it runs
PARALLEL = 8  # calls of one run at the same time, unless the workflow says otherwise
FAN_OUT = 8  # items of one list at the same time
MOST_ITEMS = 1_000  # of one list
MOST_TASKS = 10_000


@dataclass(frozen=True, slots=True)
class Retry:
    """How often a task is tried, and how many seconds pass before the second try; each next wait doubles."""

    attempts: int = 1
    wait: float = 1.0


@dataclass(frozen=True, slots=True)
class ForEach:
    """A task is done once for each item of a list: a reference to one, or the items themselves."""

    items: Json
    parallel: int = FAN_OUT


@dataclass(frozen=True, slots=True)
class ItemPlace:
    """The place of a task among the items of the task `parent`, counted from 0."""

    parent: str
    index: int


@dataclass(frozen=True, slots=True)
class CodePlace:
    """Where a call comes from: a line of the code that the task `parent` runs; 0 where no line is known."""

    parent: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Task:
    """One call of a tool, or code that makes calls. Arguments may refer to outputs of other tasks.

    `needs` must have succeeded before it starts, `after` must have ended in any way. `approval` "always"
    asks a person also where policy would not. A task with an `origin` was made by the code of another.
    """

    id: str
    tool: str
    arguments: Mapping[str, Json] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    when: tuple[Condition, ...] = ()
    for_each: ForEach | None = None
    retry: Retry = Retry()
    timeout: float | None = None
    approval: ApprovalNeed = "policy"
    item: ItemPlace | None = None
    code: str = ""
    origin: CodePlace | None = None

    def references(self) -> Sequence[OutputReference]:
        """Every output or context value that the task reads, without those of its own list's items."""
        listed = [] if self.for_each is None else references(self.for_each.items)
        conditions = [condition.reference for condition in self.when]
        return [*references(dict(self.arguments)), *listed, *conditions]

    @property
    def server(self) -> str:
        """The server of its tool."""
        return self.tool.partition(":")[0]

    def inputs(self) -> tuple[str, ...]:
        """The tasks that must have succeeded first, each once, in the order they are named."""
        referred = [reference.source for reference in self.references() if reference.is_output]
        return tuple(dict.fromkeys([*self.needs, *referred]))


@dataclass(frozen=True, slots=True)
class Workflow:
    """The tasks of a run, when the agent is asked to decide, and how many calls run at the same time.

    `per_server` limits the calls of one server; 0: only `parallel` does.
    """

    tasks: tuple[Task, ...]
    intent: str = ""
    decide: Decide = "on_error"
    parallel: int = PARALLEL
    context: Mapping[str, Json] = field(default_factory=dict)
    per_server: int = 0

    def with_arguments(self, values: TaskArguments) -> "Workflow":
        """The workflow with other or further arguments for some tasks. Raises NotFoundError for others."""
        if unknown := values.keys() - {task.id for task in self.tasks}:
            names = ", ".join(task.id for task in self.tasks)
            raise NotFoundError(f"there is no task {min(unknown)!r}; the tasks are {names}.")
        return replace(
            self,
            tasks=tuple(
                replace(task, arguments={**task.arguments, **values.get(task.id, {})})
                for task in self.tasks
            ),
        )
