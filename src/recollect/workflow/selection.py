"""Which candidates become tasks? One tool for each step, and what those need.

Tools that nobody named join when a declared need, a required input without a value, or the usual way between
two chosen tools asks for them. Only a tool that says it reads joins to fill an input: nothing is created in
order to be closed. A tool that says it destroys joins only if a step asks for it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from recollect.gateway.tool import UpstreamTool
from recollect.workflow import weights
from recollect.workflow.candidates import RequestStep, ToolCandidate
from recollect.workflow.dependencies import Node, OrderKnowledge, feeds
from recollect.workflow.field_match import matches
from recollect.workflow.plan import (
    AnswersStep,
    ChoiceReason,
    GivesInput,
    NeededBy,
    OnTheWay,
    Replaces,
    ToolChoice,
    Unfinished,
)
from recollect.workflow.plan_request import PlanRequest, Progress, ToolShapes, known_arguments
from recollect.workflow.schema_fields import Input
from recollect.workflow.task import Task

_MOST_ALTERNATIVES = 3
_MOST_ROUNDS = 3  # of tools that join for tools that joined


@dataclass(slots=True)
class Selection:
    """The chosen tools by node id, with why, and how relevant the tool of each step is to it.

    A node's id is that of its tool, or for a task that is planned anew `#` and that task's id; `earlier` has
    those tasks by node id.
    """

    nodes: dict[str, Node] = field(default_factory=dict)
    choices: dict[str, ToolChoice] = field(default_factory=dict)
    relevance: list[float] = field(default_factory=list)
    unanswered: list[str] = field(default_factory=list)
    earlier: dict[str, Task] = field(default_factory=dict)

    def tools(self) -> set[str]:
        """The ids of the chosen tools."""
        return {node.tool.id for node in self.nodes.values()}


def selected(
    request: PlanRequest, progress: Progress, knowledge: OrderKnowledge, shapes: ToolShapes
) -> Selection:
    """The tools of a plan. The order of the candidates does not matter."""
    return _Selector(request, progress, knowledge, shapes).select()


class _Selector:
    def __init__(
        self, request: PlanRequest, progress: Progress, knowledge: OrderKnowledge, shapes: ToolShapes
    ) -> None:
        self._request, self._progress, self._knowledge = request, progress, knowledge
        self._candidates = sorted(request.candidates, key=lambda each: each.tool.id)
        self._tools = request.tools()
        self._shapes = shapes
        self._result = Selection()
        self._ranked = [
            _ranked(self._relevant_to(step), number) if step.fits else []
            for number, step in enumerate(request.request_steps())
        ]

    def _relevant_to(self, step: RequestStep) -> list[ToolCandidate]:
        """The candidates for a step: those relevant to the request, or all where a tool surely fits."""
        top = max((each.relevance for each in self._candidates), default=0.0)
        least = 0.0 if step.confidence >= weights.SURE_STEP else weights.RELEVANT * top
        return [each for each in self._candidates if each.relevance >= least]

    def select(self) -> Selection:
        for task in self._progress.failed:
            self._replace(task)
        for task in self._progress.unfinished:
            if task.tool in self._tools:
                step = self._step_of(task.tool)
                self._add(self._tools[task.tool], Unfinished(task.id), step, earlier=task)
        for number in range(len(self._ranked)):
            self._answer(number)
        for _ in range(_MOST_ROUNDS):
            before = len(self._result.nodes)
            self._declared()
            self._feeders()
            self._ways()
            if len(self._result.nodes) == before:
                break
        return self._result

    def _step_of(self, tool: str) -> int | None:
        """The step that a tool fits best."""
        firsts = [ranked[0].tool.id if ranked else "" for ranked in self._ranked]
        return firsts.index(tool) if tool in firsts else None

    def _likely_step(self, tool: str) -> int | None:
        """The step for which a tool is most relevant although another fits it better."""
        relevance = {
            number: each.to_step(number)
            for number, ranked in enumerate(self._ranked)
            for each in ranked
            if each.tool.id == tool
        }
        return max(relevance, key=lambda number: (relevance[number], -number), default=None)

    def _replace(self, task: Task) -> None:
        """What a task that failed should have done: by another tool of its step, or by the same again.

        Where another tool fits the step better, only tools that take what the failed one took count. A tool
        that another task of the run has is for that task.
        """
        first = self._step_of(task.tool)
        step = self._likely_step(task.tool) if first is None else first
        others = {other.tool for other in self._progress.unfinished} - {task.tool}
        others |= self._progress.standing_tools()
        ranked = [] if step is None else self._ranked[step]
        options = [each for each in ranked if each.tool.id not in others]
        if first is None:
            options = [each for each in options if self._takes_what(task, each.tool)]
        if options:
            best = max(options, key=lambda each: self._score(each, step))
            self._add(best.tool, Replaces(task.id), step, options, task)
        elif task.tool in self._tools:
            self._add(self._tools[task.tool], Replaces(task.id), step, earlier=task)

    def _takes_what(self, task: Task, tool: UpstreamTool) -> bool:
        """Whether every argument that a tool needs has a value, with those of an earlier task."""
        known = known_arguments(tool, self._request, task)
        needed = {parameter.name for parameter, _ in self._shapes.shape(tool).inputs}
        return tool.id == task.tool or needed <= known.keys()

    def _answer(self, number: int) -> None:
        step, ranked = self._request.request_steps()[number], self._ranked[number]
        if not ranked:
            self._result.relevance.append(0.0)
            self._result.unanswered.append(step.text)
            return
        first = ranked[0]
        replacing = [each for each in self._result.nodes.values() if each.step == number]
        if replacing:
            tools = [each for each in ranked if each.tool.id == replacing[0].tool.id]
            first = tools[0] if tools else first
        elif first.tool.id not in self._progress.standing_tools() | self._result.tools():
            self._add(first.tool, AnswersStep(step.text), number, ranked)
        self._result.relevance.append(step.confidence * self._score(first, number))

    def _score(self, candidate: ToolCandidate, step: int | None) -> float:
        score = candidate.relevance if step is None else candidate.to_step(step)
        has_failed = any(task.tool == candidate.tool.id for task in self._progress.failed)
        return score * (weights.FAILED if has_failed else 1.0)

    def _declared(self) -> None:
        for tool in sorted(self._result.tools()):
            for needed in sorted(self._knowledge.needs.get(tool, ())):
                if needed in self._tools and needed not in self._present_tools():
                    self._add(self._tools[needed], NeededBy(tool))

    def _feeders(self) -> None:
        """A read-only candidate for each input that has no value and that no chosen tool gives."""
        for id in sorted(self._result.nodes):
            target = self._result.nodes[id]
            for parameter, _ in target.shape.inputs:
                if parameter.name not in target.filled and not self._is_fed(target, parameter):
                    self._add_feeder(target, parameter)

    def _is_fed(self, target: Node, parameter: Input) -> bool:
        present = (*self._progress.standing, *self._result.nodes.values())
        return any(
            match.parameter == parameter.name
            for node in present
            if node.tool.id != target.tool.id
            for match in feeds(node, target)
        )

    def _add_feeder(self, target: Node, parameter: Input) -> None:
        options = [
            (-match.certainty, -source.relevance, source.tool.id)
            for source in self._candidates
            if source.tool.hints.read_only is True and source.tool.id not in self._present_tools()
            for match in matches(self._shapes.shape(source.tool), target.shape)
            if match.parameter == parameter.name and match.certainty >= weights.ADD_FEEDER
        ]
        if options:
            self._add(self._tools[min(options)[2]], GivesInput(target.tool.id, parameter.name))

    def _ways(self) -> None:
        """The tools that usually come between two tools of the plan."""
        present = self._present_tools()
        allowed = {id for id, tool in self._tools.items() if tool.hints.destructive is not True}
        for source in sorted(present):
            for target in sorted(self._result.tools() - {source}):
                for between in self._knowledge.paths.usual(source, target, allowed | present):
                    if between not in self._present_tools():
                        self._add(self._tools[between], OnTheWay(source, target))

    def _present_tools(self) -> set[str]:
        return self._progress.standing_tools() | self._result.tools()

    def _add(
        self,
        tool: UpstreamTool,
        reason: ChoiceReason,
        step: int | None = None,
        ranked: Sequence[ToolCandidate] = (),
        earlier: Task | None = None,
    ) -> None:
        id = f"#{earlier.id}" if earlier else tool.id
        scores = {each.tool.id: self._score(each, step) for each in ranked or self._candidates}
        score = scores.get(tool.id, 0.0)
        others = [other for other in scores if other != tool.id and ranked]
        similar = [other for other in others if scores[other] >= weights.ALTERNATIVE * score]
        similar.sort(key=lambda other: (-scores[other], other))
        self._result.nodes[id] = replace(self._node(tool, earlier), id=id, step=step)
        self._result.choices[id] = ToolChoice(
            tool.id, reason, score, tuple(similar[:_MOST_ALTERNATIVES])
        )
        self._result.earlier |= {id: earlier} if earlier else {}

    def _node(self, tool: UpstreamTool, earlier: Task | None = None) -> Node:
        known = known_arguments(tool, self._request, earlier)
        return Node(tool.id, tool, self._shapes.shape(tool), frozenset(known))


def _ranked(candidates: Sequence[ToolCandidate], step: int) -> list[ToolCandidate]:
    fitting = [each for each in candidates if each.to_step(step) > 0]
    return sorted(fitting, key=lambda each: (-each.to_step(step), -each.relevance, each.tool.id))
