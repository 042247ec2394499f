"""Plan a request: candidates, their dependencies, an order without cycles, and tasks with references."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from recollect.gateway.tool import UpstreamTool
from recollect.workflow import weights
from recollect.workflow.dependencies import Dependency, OrderKnowledge, dependencies
from recollect.workflow.document import TASK_ID
from recollect.workflow.field_match import matches
from recollect.workflow.ordering import BrokenCycle, Ordering, order_only, ordered, topological
from recollect.workflow.plan import MissingArgument, Plan, PlanConfidence
from recollect.workflow.plan_request import PlanRequest, Progress, ToolShapes, known_arguments
from recollect.workflow.references import RESERVED, OutputReference
from recollect.workflow.selection import Selection, selected
from recollect.workflow.task import Task, Workflow
from recollect.workflow.tool_paths import ToolPaths

_MOST_SOURCES = 3
_LONGEST_NAME = 48  # characters of a task id made from a tool's name; a number may follow


def plan(request: PlanRequest, progress: Progress | None = None) -> Plan:
    """Plan what is asked. With `progress` only what a run has not done yet is planned."""
    progress = progress or Progress()
    knowledge = OrderKnowledge(ToolPaths(request.edges), request.needs)
    shapes = ToolShapes(request)
    selection = selected(request, progress, knowledge, shapes)
    knowledge = replace(knowledge, waits=_earlier_order(selection))
    nodes = [*progress.standing, *selection.nodes.values()]
    ordering = ordered(dependencies(nodes, knowledge))
    names = {node.id: node.id for node in progress.standing}
    tools = {id: node.tool for id, node in selection.nodes.items()}
    names |= task_ids(tools, progress.taken)
    tasks = _tasks(request, selection, ordering, names)
    missing = tuple(_missing(request, selection, tasks, names, shapes))
    return Plan(
        Workflow(tuple(tasks.values()), request.intent, context=dict(request.context)),
        {names[id]: selection.choices[id] for id in tasks},
        tuple(_named(each, names) for each in ordering.dependencies),
        tuple(
            BrokenCycle(_named(each.dependency, names), tuple(names[id] for id in each.cycle))
            for each in ordering.broken
        ),
        missing,
        tuple(selection.unanswered),
        _confidence(selection, ordering, missing),
    )


def task_ids(tools: Mapping[str, UpstreamTool], taken: Collection[str]) -> dict[str, str]:
    """A task id for each key: the tool's name, with its server or a number where that is taken."""
    used = {*taken, *RESERVED}
    ids: dict[str, str] = {}
    for key in sorted(tools):
        name = _as_id(tools[key].name)
        options = [name, _as_id(f"{tools[key].server}_{tools[key].name}")]
        options += [f"{name}_{number}" for number in range(2, len(used) + 3)]
        ids[key] = next(option for option in options if option not in used)
        used.add(ids[key])
    return ids


def _as_id(name: str) -> str:
    plain = re.sub(r"[^A-Za-z0-9_-]+", "_", name)[:_LONGEST_NAME]
    return plain if TASK_ID.fullmatch(plain) else f"task_{plain}".rstrip("_")


def _earlier_order(selection: Selection) -> set[tuple[str, str]]:
    """The order that tasks of the run had which are planned anew."""
    replacing = {task.id: id for id, task in selection.earlier.items()}
    return {
        (replacing[before], id)
        for id, task in selection.earlier.items()
        for before in (*task.needs, *task.after)
        if before in replacing
    }


def _tasks(
    request: PlanRequest, selection: Selection, ordering: Ordering, names: Mapping[str, str]
) -> dict[str, Task]:
    """The tasks by node id, in an order in which they could run one after another."""
    waits = order_only(ordering)
    nodes = sorted(
        selection.nodes.values(), key=lambda node: (node.step is None, node.step or 0, node.id)
    )
    tasks: dict[str, Task] = {}
    for id in topological([node.id for node in nodes], ordering.dependencies):
        tool, earlier = selection.nodes[id].tool, selection.earlier.get(id)
        arguments = known_arguments(tool, request, earlier)
        for (target, parameter), (source, match) in sorted(ordering.filled.items()):
            if target == id:
                arguments[parameter] = f"${{{OutputReference(names[source], match.path)}}}"
        task = Task(names[id], tool.id, arguments, tuple(names[other] for other in waits.get(id, ())))
        tasks[id] = _as_before(task, earlier, names) if earlier else task
    return tasks


def _as_before(task: Task, earlier: Task, names: Mapping[str, str]) -> Task:
    """A task that is planned anew keeps its policy, its conditions, and the order that still stands."""
    own = earlier.arguments if earlier.tool == task.tool else {}
    return replace(
        earlier,
        id=task.id,
        tool=task.tool,
        arguments={**own, **task.arguments},
        needs=tuple(dict.fromkeys([*(id for id in earlier.needs if id in names), *task.needs])),
        after=tuple(id for id in earlier.after if id in names),
    )


def _missing(
    request: PlanRequest,
    selection: Selection,
    tasks: Mapping[str, Task],
    names: Mapping[str, str],
    shapes: ToolShapes,
) -> Iterable[MissingArgument]:
    for id, task in tasks.items():
        target = selection.nodes[id]
        for parameter, _ in target.shape.inputs:
            if parameter.name in task.arguments:
                continue
            sources = [
                (-match.certainty, each.tool.id)
                for each in request.candidates
                if each.tool.id != target.tool.id
                for match in matches(shapes.shape(each.tool), target.shape)
                if match.parameter == parameter.name
            ]
            yield MissingArgument(
                names[id],
                parameter.name,
                tuple(sorted(parameter.types)),
                parameter.about,
                parameter.choices,
                tuple(source for _, source in sorted(sources)[:_MOST_SOURCES]),
            )


def _named(dependency: Dependency, names: Mapping[str, str]) -> Dependency:
    return replace(dependency, source=names[dependency.source], target=names[dependency.target])


def _confidence(
    selection: Selection, ordering: Ordering, missing: Collection[MissingArgument]
) -> PlanConfidence:
    touched = {id for each in ordering.dependencies for id in (each.source, each.target)}
    alone = selection.nodes.keys() - touched if len(selection.nodes) > 1 else set()
    certainties = [each.certainty for each in ordering.dependencies]
    certainties += [0.0] * len(ordering.broken) + [float(weights.UNCONNECTED)] * len(alone)
    fed = [match.certainty for _, match in ordering.filled.values()]
    filled = sum(
        1
        for node in selection.nodes.values()
        for parameter, _ in node.shape.inputs
        if parameter.name in node.filled
    )
    values = [*fed, *[1.0] * filled, *[float(weights.MISSING)] * len(missing)]
    return PlanConfidence(
        _mean(selection.relevance, 0.0) if selection.nodes else 0.0,
        _mean(certainties, 1.0),
        _mean(values, 1.0),
    )


def _mean(values: Collection[float], empty: float) -> float:
    return round(sum(values) / len(values), 4) if values else empty
