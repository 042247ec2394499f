"""Which tool must come before which? Every pair in both directions, with reasons and how sure they are."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import TypeAlias

from recollect.gateway.tool import UpstreamTool
from recollect.workflow import weights
from recollect.workflow.field_match import FieldMatch, ToolShape, matches
from recollect.workflow.tool_paths import ToolPath, ToolPaths


@dataclass(frozen=True, slots=True)
class DeclaredNeed:
    """The tool declares that it needs the other one."""

    certainty: float = float(weights.DECLARED)


@dataclass(frozen=True, slots=True)
class FeedsInput:
    """Output fields of one feed required inputs of the other. The surest field counts."""

    fields: tuple[FieldMatch, ...]

    @property
    def certainty(self) -> float:
        return max(match.certainty for match in self.fields)


@dataclass(frozen=True, slots=True)
class ObservedOrder:
    """One was called after the other, directly or with others in between."""

    path: ToolPath

    @property
    def certainty(self) -> float:
        return self.path.certainty


@dataclass(frozen=True, slots=True)
class StatedOrder:
    """The request names the step of one before that of the other."""

    certainty: float = float(weights.STATED)


Reason: TypeAlias = DeclaredNeed | FeedsInput | ObservedOrder | StatedOrder


@dataclass(frozen=True, slots=True)
class Dependency:
    """`target` comes after `source`. At least one reason; they support each other."""

    source: str
    target: str
    reasons: tuple[Reason, ...]

    @property
    def certainty(self) -> float:
        """The probability that some reason is right, taking them to be independent."""
        return round(1 - prod(1 - reason.certainty for reason in self.reasons), 4)

    @property
    def feeds(self) -> tuple[FieldMatch, ...]:
        """The inputs of `target` that `source` can fill."""
        return next((reason.fields for reason in self.reasons if isinstance(reason, FeedsInput)), ())

    @property
    def only_feeds(self) -> bool:
        """Whether there is no other reason than what `source` can fill."""
        return all(isinstance(reason, FeedsInput) for reason in self.reasons)


@dataclass(frozen=True, slots=True)
class Node:
    """A tool that takes part in a plan. `shape` is what it takes and gives.

    `filled` are the inputs that need no other tool, `step` is the place of the step of the request that it is
    for. `is_done`: the run has the task already, and `id` is its id.
    """

    id: str
    tool: UpstreamTool
    shape: ToolShape
    filled: Collection[str] = ()
    step: int | None = None
    is_done: bool = False


@dataclass(frozen=True, slots=True)
class OrderKnowledge:
    """What is known about order besides schemas.

    Observed paths, the tools that each tool declares it needs, and pairs of nodes of which the second waited
    for the first before they were planned anew.
    """

    paths: ToolPaths
    needs: Mapping[str, Collection[str]] = field(default_factory=dict)
    waits: Collection[tuple[str, str]] = ()


def dependencies(nodes: Sequence[Node], knowledge: OrderKnowledge) -> list[Dependency]:
    """All dependencies among the nodes. What is done already waits for nothing."""
    return [
        Dependency(source.id, target.id, reasons)
        for source in sorted(nodes, key=lambda node: node.id)
        for target in sorted(nodes, key=lambda node: node.id)
        if not target.is_done
        and source.id != target.id
        and (reasons := tuple(_reasons(source, target, knowledge)))
    ]


def _reasons(source: Node, target: Node, knowledge: OrderKnowledge) -> list[Reason]:
    first, second = source.tool.id, target.tool.id
    reasons: list[Reason] = []
    if first in knowledge.needs.get(second, ()) or (source.id, target.id) in knowledge.waits:
        reasons.append(DeclaredNeed())
    if first == second:
        return reasons
    if fields := feeds(source, target):
        reasons.append(FeedsInput(fields))
    commute = source.tool.hints.read_only is True and target.tool.hints.read_only is True
    path = knowledge.paths.best(first, second)
    if path is not None and (not commute or knowledge.paths.is_dependency(first, second)):
        reasons.append(ObservedOrder(path))
    if (
        not commute
        and source.step is not None
        and target.step is not None
        and source.step < target.step
    ):
        reasons.append(StatedOrder())
    return reasons


def feeds(source: Node, target: Node) -> tuple[FieldMatch, ...]:
    """The inputs of `target` that have no value yet and that the output of `source` can fill."""
    return tuple(
        match for match in matches(source.shape, target.shape) if match.parameter not in target.filled
    )
