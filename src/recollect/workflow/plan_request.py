"""What a plan is made from."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from recollect.gateway.arguments import argument_problems
from recollect.gateway.tool import UpstreamTool
from recollect.gateway.tool_graph import ToolEdge
from recollect.records.json_format import Json
from recollect.workflow.candidates import RequestStep, ToolCandidate
from recollect.workflow.dependencies import Node
from recollect.workflow.field_match import ToolShape, is_general, name_words, tool_shape
from recollect.workflow.references import CONTEXT, OutputReference, literal, references
from recollect.workflow.schema_fields import Input, Schema, required_inputs
from recollect.workflow.task import Task


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """An intent and everything known that helps to plan it.

    `steps` are those that the candidates' `by_step` is about; without them the intent is one step.
    `catalogue` has the tools that may join without being candidates. `outputs` has the schema of what each
    tool gives, `needs` the tools that each declares it needs, `arguments` what the agent knows already,
    all by tool id.
    """

    intent: str
    candidates: Sequence[ToolCandidate]
    steps: tuple[RequestStep, ...] = ()
    catalogue: Mapping[str, UpstreamTool] = field(default_factory=dict)
    outputs: Mapping[str, Schema] = field(default_factory=dict)
    edges: Sequence[ToolEdge] = ()
    needs: Mapping[str, Collection[str]] = field(default_factory=dict)
    arguments: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)
    context: Mapping[str, Json] = field(default_factory=dict)

    def request_steps(self) -> tuple[RequestStep, ...]:
        """The steps, or the intent as the only one."""
        return self.steps or (RequestStep(self.intent),)

    def tools(self) -> dict[str, UpstreamTool]:
        """Every tool that may become a task, by id."""
        return {**self.catalogue, **{each.tool.id: each.tool for each in self.candidates}}

    def output(self, tool: UpstreamTool) -> Schema:
        """The schema of what a tool gives; empty when nothing is known."""
        return self.outputs.get(tool.id) or tool.output_schema or {}


class ToolShapes:
    """The shapes of the tools of a request, each read once."""

    def __init__(self, request: PlanRequest) -> None:
        self._request = request
        self._shapes: dict[str, ToolShape] = {}

    def shape(self, tool: UpstreamTool) -> ToolShape:
        if tool.id not in self._shapes:
            self._shapes[tool.id] = tool_shape(tool, self._request.output(tool))
        return self._shapes[tool.id]


@dataclass(frozen=True, slots=True)
class Progress:
    """What a run has done. `standing` are tasks that need not be planned, with what they give.

    `failed` are the tasks that failed, and `unfinished` those that could not start for that reason; both have
    only arguments that still stand. `taken` are the ids of all tasks.
    """

    standing: tuple[Node, ...] = ()
    failed: tuple[Task, ...] = ()
    unfinished: tuple[Task, ...] = ()
    taken: frozenset[str] = frozenset()

    def standing_tools(self) -> set[str]:
        return {node.tool.id for node in self.standing}


def known_arguments(
    tool: UpstreamTool, request: PlanRequest, earlier: Task | None = None
) -> dict[str, Json]:
    """The arguments that have a value before any task ran: the agent's, an earlier task's, the context's.

    `earlier` is the task that this one replaces; what it was called with is used where the names are equal.
    """
    known = {name: literal(value) for name, value in request.arguments.get(tool.id, {}).items()}
    for parameter in required_inputs(tool.input_schema):
        values = [*_only_choice(parameter), *_earlier(tool, parameter, earlier)]
        values += _of_context(tool, parameter, request.context)
        if values:
            known.setdefault(parameter.name, values[0])
    return known


def _only_choice(parameter: Input) -> list[Json]:
    return [literal(choice) for choice in parameter.choices] if len(parameter.choices) == 1 else []


def _earlier(tool: UpstreamTool, parameter: Input, task: Task | None) -> list[Json]:
    return [
        value
        for name, value in (task.arguments if task else {}).items()
        if name_words(name) == name_words(parameter.name)
        and (references(value) or accepts(tool, parameter.name, value))
    ]


def _of_context(tool: UpstreamTool, parameter: Input, context: Mapping[str, Json]) -> list[Json]:
    return [
        f"${{{OutputReference(CONTEXT, (key,))}}}"
        for key in sorted(context)
        if name_words(key) == name_words(parameter.name)
        and not is_general(key)
        and accepts(tool, parameter.name, context[key])
    ]


def accepts(tool: UpstreamTool, parameter: str, value: Json) -> bool:
    """Whether a parameter takes a value, as far as its own schema says."""
    properties = tool.input_schema.get("properties")
    expected = properties.get(parameter, {}) if isinstance(properties, Mapping) else {}
    schema: dict[str, Any] = {**tool.input_schema, "properties": {parameter: expected}, "required": []}
    return not argument_problems(schema, {parameter: value})
