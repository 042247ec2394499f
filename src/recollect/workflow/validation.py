"""Can a workflow run? Checked before anything is called, with everything that is wrong at once."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from recollect.errors import Problem
from recollect.gateway.arguments import argument_problems
from recollect.gateway.tool import UpstreamTool
from recollect.gateway.vault.json_path import Every, Slice, Step
from recollect.records.json_format import Json
from recollect.workflow.references import CONTEXT, INDEX, ITEM, OutputReference, references
from recollect.workflow.task import CODE, Task
from recollect.workflow.task_graph import cycle

_SIMILAR = 3
_CODE_TOOL = UpstreamTool("", CODE)
_UNKNOWN: Mapping[str, Any] = {}  # the schema of a value about which nothing is known


def problems(
    tasks: Sequence[Task],
    tools: Mapping[str, UpstreamTool],
    outputs: Mapping[str, Mapping[str, Any]],
    context: Mapping[str, Json],
) -> list[Problem]:
    """Everything that keeps the tasks from running.

    `outputs` has the schema of what each tool gives, by the tool's id, as far as it is known.
    """
    known = {**tools, CODE: _CODE_TOOL, **{task.tool: _CODE_TOOL for task in tasks if task.code}}
    wrong = [_unknown_tool(task, tools) for task in tasks if task.tool not in known]
    wrong += graph_problems(tasks, context)
    if not wrong:
        schemas = {task.id: _output(task, outputs) for task in tasks}
        for task in tasks:
            wrong += _argument_problems(task, known[task.tool], schemas)
    return wrong


def graph_problems(tasks: Sequence[Task], context: Mapping[str, Json]) -> list[Problem]:
    """What is wrong with how tasks wait for each other: names that lead nowhere, and cycles."""
    by_id = {task.id: task for task in tasks}
    counts = Counter(task.id for task in tasks)
    wrong = [Problem(id, "two tasks have this id") for id, count in counts.items() if count > 1]
    wrong += [problem for task in tasks for problem in _source_problems(task, by_id, context)]
    if not wrong and (circle := cycle(tasks)):
        way = " > ".join([*circle, circle[0]])
        wrong.append(Problem(circle[0], f"the tasks wait for each other: {way}"))
    return wrong


def _unknown_tool(task: Task, tools: Mapping[str, UpstreamTool]) -> Problem:
    of_name = [id for id, tool in tools.items() if tool.name == task.tool]
    similar = of_name or get_close_matches(task.tool, tools, n=_SIMILAR)
    hint = f"did you mean {' or '.join(map(repr, similar))}?" if similar else "discover finds tools."
    return Problem(f"{task.id}.tool", f"unknown tool {task.tool!r}; {hint}")


def _source_problems(
    task: Task, by_id: Mapping[str, Task], context: Mapping[str, Json]
) -> Iterator[Problem]:
    for name, ids in (("needs", task.needs), ("after", task.after)):
        for id in ids:
            if id not in by_id:
                yield Problem(f"{task.id}.{name}", f"there is no task {id!r}{_hint(id, by_id)}")
    if task.origin is not None and not getattr(by_id.get(task.origin.parent), "code", ""):
        yield Problem(f"{task.id}.origin", f"{task.origin.parent!r} is not a task that runs code")
    for reference in task.references():
        place = f"{task.id}: ${{{reference}}}"
        match reference.source:
            case source if source == CONTEXT:
                key = next(iter(reference.steps), None)
                if isinstance(key, str) and key not in context:
                    yield Problem(place, f"the context has no {key!r}; give it with the workflow")
            case source if source in (ITEM, INDEX):
                if task.for_each is None and task.item is None:
                    yield Problem(place, "the task has no for_each, so there is no item")
            case source if source not in by_id:
                yield Problem(place, f"there is no task {source!r}{_hint(source, by_id)}")
            case source if source == task.id:
                yield Problem(place, "a task cannot read its own output")


def _hint(id: str, by_id: Mapping[str, Task]) -> str:
    similar = get_close_matches(id, by_id, n=1)
    return f"; did you mean {similar[0]!r}?" if similar else f"; the tasks are {', '.join(by_id)}"


def _output(task: Task, outputs: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
    schema = outputs.get(task.tool, _UNKNOWN)
    return schema if task.for_each is None else {"type": "array", "items": schema}


def _argument_problems(
    task: Task, tool: UpstreamTool, schemas: Mapping[str, Mapping[str, Any]]
) -> Iterator[Problem]:
    """What is wrong with arguments before their references are read: names, constants, and known types."""
    arguments = dict(task.arguments)
    known = {name: value for name, value in arguments.items() if not references(value)}
    properties = tool.input_schema.get("properties")
    expected = properties if isinstance(properties, Mapping) else {}
    loose = {
        **tool.input_schema,
        "properties": {**expected, **{name: {} for name in arguments.keys() - known}},
    }
    for problem in argument_problems(loose, arguments):
        yield Problem(f"{task.id}.arguments", problem)
    for name in arguments.keys() - known:
        value = arguments[name]
        if isinstance(value, str) and name in expected:
            yield from _type_problems(task, name, value, expected[name], schemas)
    for reference in task.references():
        if reference.is_output and not _has(schemas[reference.source], reference.steps):
            yield Problem(
                f"{task.id}: ${{{reference}}}",
                f"the output of {reference.source!r} has no such field{_fields(schemas[reference.source])}",
            )


def _type_problems(
    task: Task, name: str, value: str, expected: Any, schemas: Mapping[str, Mapping[str, Any]]
) -> Iterator[Problem]:
    """A reference that stands alone brings its value's type along."""
    [reference, *others] = references(value)
    alone = not others and value == f"${{{reference}}}" and reference.is_output
    wanted = expected.get("type") if isinstance(expected, Mapping) else None
    if not alone or not isinstance(wanted, str):
        return
    actual = _at(schemas[reference.source], reference).get("type")
    if isinstance(actual, str) and actual != wanted and (actual, wanted) != ("integer", "number"):
        yield Problem(f"{task.id}.arguments.{name}", f"must be {wanted}; ${{{reference}}} is {actual}")


def _at(schema: Mapping[str, Any], reference: OutputReference) -> Mapping[str, Any]:
    many = any(isinstance(step, Every | Slice) for step in reference.steps)
    for step in reference.steps:
        schema = _below(schema, step)
    return {"type": "array"} if many else schema


def _below(schema: Mapping[str, Any], step: Step) -> Mapping[str, Any]:
    if isinstance(step, str):
        properties = schema.get("properties")
        inner = properties.get(step) if isinstance(properties, Mapping) else None
        inner = schema.get("additionalProperties") if inner is None else inner
    else:
        inner = schema.get("items")
    return inner if isinstance(inner, Mapping) else _UNKNOWN


def _has(schema: Mapping[str, Any], steps: Sequence[Step]) -> bool:
    """Whether a schema allows for a place. Only a declared, closed object says that it does not."""
    for step in steps:
        properties = schema.get("properties")
        is_closed = schema.get("additionalProperties") is False
        if (
            isinstance(step, str)
            and is_closed
            and isinstance(properties, Mapping)
            and step not in properties
        ):
            return False
        schema = _below(schema, step)
    return True


def _fields(schema: Mapping[str, Any]) -> str:
    properties = schema.get("properties")
    names = ", ".join(map(str, properties)) if isinstance(properties, Mapping) else ""
    return f"; it has {names}" if names else ""
