"""A plan: the workflow that a request leads to, why it looks like that, and what it still needs."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from recollect.records.json_format import Json
from recollect.workflow import weights
from recollect.workflow.dependencies import Dependency
from recollect.workflow.ordering import BrokenCycle
from recollect.workflow.task import Workflow


@dataclass(frozen=True, slots=True)
class AnswersStep:
    """The tool fits a step of the request best."""

    step: str


@dataclass(frozen=True, slots=True)
class GivesInput:
    """The tool gives an input that another task needs and that nobody gave."""

    tool: str
    parameter: str


@dataclass(frozen=True, slots=True)
class NeededBy:
    """Another tool declares that it needs this one."""

    tool: str


@dataclass(frozen=True, slots=True)
class OnTheWay:
    """The tool is usually called between two others of the plan."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Replaces:
    """A task of the run failed, and this tool does what it should have done."""

    task: str


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A task of the run could not start, because one before it failed."""

    task: str


ChoiceReason: TypeAlias = AnswersStep | GivesInput | NeededBy | OnTheWay | Replaces | Unfinished


@dataclass(frozen=True, slots=True)
class ToolChoice:
    """Why a tool became a task, how relevant it is, and the tools that fit in its place, best first."""

    tool: str
    reason: ChoiceReason
    relevance: float
    alternatives: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MissingArgument:
    """A required argument without a value. `sources` are tools whose output could fill it."""

    task: str
    name: str
    types: tuple[str, ...] = ()
    about: str = ""
    choices: tuple[Json, ...] = ()
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanConfidence:
    """How likely it is that the plan does what was asked as it stands: a geometric mean of its parts, 0..1.

    `relevance` is of the tools to the steps (a step that no tool fits counts 0), `dependencies` the mean
    certainty of those used (a broken one counts 0), `arguments` the mean of the required arguments, each by
    how sure its value is (one that the agent has still to give counts `MISSING`).
    """

    relevance: float
    dependencies: float
    arguments: float

    @property
    def value(self) -> float:
        return self.weighted(weights.RELEVANCE_PART, weights.DEPENDENCY_PART, weights.ARGUMENT_PART)

    def weighted(self, relevance: float, dependencies: float, arguments: float) -> float:
        """The value with these exponents of the parts."""
        product: float = self.relevance**relevance
        product *= self.dependencies**dependencies
        product *= self.arguments**arguments
        return round(product, 4)


@dataclass(frozen=True, slots=True)
class Plan:
    """A workflow with what led to it. `choices` are by task id; dependencies and cycles name task ids.

    `unanswered` are the steps of the request that no tool fits.
    """

    workflow: Workflow
    choices: dict[str, ToolChoice]
    dependencies: tuple[Dependency, ...]
    broken: tuple[BrokenCycle, ...]
    missing: tuple[MissingArgument, ...]
    unanswered: tuple[str, ...]
    confidence: PlanConfidence

    @property
    def status(self) -> Literal["ready", "needs_arguments", "empty"]:
        """Whether it can run: at once, once arguments are filled in, or not at all."""
        if not self.workflow.tasks:
            return "empty"
        return "needs_arguments" if self.missing else "ready"
