"""Which tasks of a plan could be called now, before the plan is run, and with what?"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from math import exp, log

from recollect.errors import RecollectError
from recollect.records.json_format import Json
from recollect.workflow import weights
from recollect.workflow.plan import Plan
from recollect.workflow.references import CONTEXT, read_from, resolved
from recollect.workflow.task import Task

_MOST = 1 - 1e-6  # whose logarithm is finite


@dataclass(frozen=True, slots=True)
class TaskAhead:
    """A task whose arguments are known, and how likely it is that it will be called with them."""

    task: Task
    arguments: Mapping[str, Json]
    probability: float


def tasks_ahead(
    plan: Plan, named: Collection[str], reads: Callable[[str], bool], outputs: Mapping[str, Json]
) -> Iterator[TaskAhead]:
    """The tasks that could be called now. `named` are tools that the agent named, `outputs` what is done.

    A task that comes after one that may write waits for it, because it is to see what that wrote. Conditions,
    lists and arguments that refer to outputs which are not there leave a task out.
    """
    tasks = {task.id: task for task in plan.workflow.tasks}
    lacking = {missing.task for missing in plan.missing}
    for task in tasks.values():
        if task.id in outputs or task.id in lacking or task.when or task.for_each is not None:
            continue
        if not all(reads(tasks[id].tool) for id in _before(task, tasks)):
            continue
        arguments = _arguments(task, plan.workflow.context, outputs)
        if arguments is not None:
            yield TaskAhead(task, arguments, task_probability(plan, task, named))


def task_probability(plan: Plan, task: Task, named: Collection[str]) -> float:
    """How likely a planned task is called: by the plan's confidence, or because the agent named its tool."""
    clipped = min(max(plan.confidence.value, 1 - _MOST), _MOST)
    odds = weights.PLAN_SLOPE * log(clipped / (1 - clipped)) + weights.PLAN_SHIFT
    by_plan = 1 / (1 + exp(-odds))
    return max(by_plan, float(weights.NAMED_BY_AGENT)) if task.tool in named else by_plan


def _before(task: Task, tasks: Mapping[str, Task]) -> set[str]:
    """Every task that is to end before this one, however far back."""
    pending, earlier = [task], set[str]()
    while pending:
        current = pending.pop()
        for id in (*current.inputs(), *current.after):
            if id in tasks and id not in earlier:
                earlier.add(id)
                pending.append(tasks[id])
    return earlier


def _arguments(
    task: Task, context: Mapping[str, Json], outputs: Mapping[str, Json]
) -> Mapping[str, Json] | None:
    try:
        arguments = resolved(dict(task.arguments), read_from({**outputs, CONTEXT: dict(context)}))
    except RecollectError:
        return None
    return arguments if isinstance(arguments, dict) else None
