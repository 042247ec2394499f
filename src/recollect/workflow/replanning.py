"""Plan again after a failure: what is done is used, and what failed or waited for it is replaced."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from recollect.gateway.observed_schema import json_schema, observed
from recollect.gateway.tool import UpstreamTool
from recollect.records.json_format import Json
from recollect.workflow.dependencies import Node
from recollect.workflow.field_match import tool_shape
from recollect.workflow.plan import Plan, Replaces, Unfinished
from recollect.workflow.plan_request import PlanRequest, Progress
from recollect.workflow.planning import plan
from recollect.workflow.references import references
from recollect.workflow.run_state import RunState, TaskRun
from recollect.workflow.schema_fields import Schema
from recollect.workflow.task import Task

_OVER = ("failed", "skipped", "cancelled")


@dataclass(frozen=True, slots=True)
class Graft:
    """A plan whose tasks are added to a run.

    `replaces` are the tasks of the run that failed, or wait for one that did, and that new ones stand for.
    `left` are those without a new one: their tool is unknown, or a condition or a list of theirs reads what
    is not there.
    """

    plan: Plan
    replaces: tuple[str, ...]
    left: tuple[str, ...]


def replan(request: PlanRequest, state: RunState) -> Graft:
    """Plan what a run has not done. References go to outputs as they are, not as schemas promise them."""
    own = {
        id: run for id, run in state.tasks.items() if run.task.item is None and run.task.origin is None
    }
    failed = {id for id, run in own.items() if run.status == "failed"}
    stuck = _waiting_for(state, failed)
    standing = {id for id, run in own.items() if run.status not in _OVER} - stuck
    again = {id for id in failed | stuck if _reads_only(own[id].task, standing)}
    tools = request.tools()
    progress = Progress(
        tuple(_node(own[id], request, tools) for id in sorted(standing)),
        tuple(_standing_part(own[id].task, standing) for id in sorted(failed & again)),
        tuple(_standing_part(own[id].task, standing) for id in sorted(stuck & again)),
        frozenset(state.tasks),
    )
    new = plan(replace(request, context={**state.context, **request.context}), progress)
    reasons = [choice.reason for choice in new.choices.values()]
    replaced = {each.task for each in reasons if isinstance(each, Replaces | Unfinished)}
    return Graft(new, tuple(sorted(replaced)), tuple(sorted((failed | stuck) - replaced)))


def _waiting_for(state: RunState, failed: Collection[str]) -> set[str]:
    """The tasks that have not begun and need one that failed, directly or not."""

    def is_stuck(source: str, id: str) -> bool:
        run = state.tasks[id]
        return run.status in ("pending", "skipped") and source in run.task.inputs()

    return set(state.graph.below(failed, is_stuck))


def _reads_only(task: Task, standing: Collection[str]) -> bool:
    """Whether the conditions and the list of a task read only what stands."""
    listed = [] if task.for_each is None else references(task.for_each.items)
    read = [condition.reference for condition in task.when] + listed
    return all(not reference.is_output or reference.source in standing for reference in read)


def _standing_part(task: Task, standing: Collection[str]) -> Task:
    """The task with the arguments that have a value still; `needs` also has what the others came from."""
    return replace(
        task,
        needs=task.inputs(),
        arguments={name: value for name, value in task.arguments.items() if _stands(value, standing)},
    )


def _stands(value: Json, standing: Collection[str]) -> bool:
    return all(not each.is_output or each.source in standing for each in references(value))


def _node(run: TaskRun, request: PlanRequest, tools: dict[str, UpstreamTool]) -> Node:
    server, _, name = run.task.tool.partition(":")
    tool = tools.get(run.task.tool, UpstreamTool(server, name))
    return Node(run.task.id, tool, tool_shape(tool, _output(run, request, tool)), is_done=True)


def _output(run: TaskRun, request: PlanRequest, tool: UpstreamTool) -> Schema:
    seen = observed(run.output) if run.status == "succeeded" and run.output is not None else None
    return request.output(tool) if seen is None else json_schema(seen)
