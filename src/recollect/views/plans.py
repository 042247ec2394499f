"""What a plan looks like: as JSON for programs, as text for an agent."""

from typing import Any, NotRequired, TypedDict

from recollect.gateway.vault.json_path import show_path
from recollect.learning.episodes import EarlierEpisode
from recollect.records.display import one_line
from recollect.views.meta_tools import ToolMemory
from recollect.workflow.dependencies import (
    DeclaredNeed,
    Dependency,
    FeedsInput,
    ObservedOrder,
    Reason,
    StatedOrder,
)
from recollect.workflow.document import task_document
from recollect.workflow.plan import (
    AnswersStep,
    ChoiceReason,
    GivesInput,
    MissingArgument,
    NeededBy,
    OnTheWay,
    Plan,
    Replaces,
    Unfinished,
)


class PlanNeed(TypedDict):
    """A value that the agent has to give."""

    task: str
    argument: str
    type: str
    about: NotRequired[str]
    choices: NotRequired[list[Any]]
    from_tools: NotRequired[list[str]]


class PlanOrder(TypedDict):
    """Why one task comes after another."""

    task: str
    after: str
    because: list[str]
    certainty: float


class PlanChoice(TypedDict):
    """Why a task is there, and what could stand in its place."""

    task: str
    because: str
    instead: list[str]


class PlanParts(TypedDict):
    """What the confidence is made of, each from 0 to 1."""

    relevance: float
    dependencies: float
    arguments: float


class PlanEpisode(TypedDict):
    """How this request, or a similar one, went last time."""

    at: str
    request: str
    same_request: bool
    outcome: str
    tools: list[str]
    failed_at: NotRequired[str]
    error: NotRequired[str]


class PlanOutput(TypedDict):
    """`plan`: tasks as `run` takes them. `status` is ready, needs_arguments or empty."""

    plan: str
    status: str
    tasks: list[dict[str, Any]]
    needs: list[PlanNeed]
    choices: list[PlanChoice]
    order: list[PlanOrder]
    left_out: list[PlanOrder]
    unanswered: list[str]
    confidence: float
    parts: PlanParts
    memories: list[ToolMemory]
    earlier: NotRequired[PlanEpisode]


def plan_output(
    id: str, plan: Plan, memories: list[ToolMemory], earlier: EarlierEpisode | None = None
) -> PlanOutput:
    """A plan with its reasons, and how the request went last time."""
    confidence = plan.confidence
    output: PlanOutput = {
        "plan": id,
        "status": plan.status,
        "tasks": [task_document(task) for task in plan.workflow.tasks],
        "needs": [_need(missing) for missing in plan.missing],
        "choices": [
            {"task": task, "because": _choice(choice.reason), "instead": list(choice.alternatives)}
            for task, choice in plan.choices.items()
        ],
        "order": [_order(dependency) for dependency in plan.dependencies],
        "left_out": [_order(broken.dependency) for broken in plan.broken],
        "unanswered": list(plan.unanswered),
        "confidence": round(confidence.value, 2),
        "parts": {
            "relevance": round(confidence.relevance, 2),
            "dependencies": round(confidence.dependencies, 2),
            "arguments": round(confidence.arguments, 2),
        },
        "memories": memories,
    }
    if earlier is not None:
        output["earlier"] = _episode(earlier)
    return output


def plan_text(output: PlanOutput) -> str:
    """The plan for an agent."""
    if not output["tasks"]:
        return "No tool fits the request; discover shows the closest ones."
    lines = [
        f"{output['plan']}: {output['status'].replace('_', ' ')}, confidence {output['confidence']}"
    ]
    because = {choice["task"]: choice["because"] for choice in output["choices"]}
    lines += [
        f"- {task['id']} ({task['tool']}) {task['arguments']}: {because[task['id']]}"
        for task in output["tasks"]
    ]
    for need in output["needs"]:
        about = f", {one_line(need['about'])}" if "about" in need else ""
        lines.append(f"needs {need['task']}.{need['argument']} ({need['type']}){about}")
    lines += [f"no tool fits: {one_line(step)}" for step in output["unanswered"]]
    lines += [
        f"left out, because it would create a cycle: {order['task']} after {order['after']}"
        for order in output["left_out"]
    ]
    lines += [f"{row['category']} {row['id']}: {one_line(row['title'])}" for row in output["memories"]]
    if "earlier" in output:
        lines.append(_episode_line(output["earlier"]))
    return "\n".join(lines)


def _episode(earlier: EarlierEpisode) -> PlanEpisode:
    episode = earlier.episode
    row: PlanEpisode = {
        "at": episode.at,
        "request": episode.intent,
        "same_request": earlier.is_same,
        "outcome": episode.outcome,
        "tools": list(episode.planned),
    }
    if episode.failed_at:
        row["failed_at"], row["error"] = episode.failed_at, episode.error
    return row


def _episode_line(row: PlanEpisode) -> str:
    what = "this" if row["same_request"] else f"a similar request ({one_line(row['request'])!r})"
    text = f"last time ({row['at'][:10]}) {what}"
    if "failed_at" in row:
        return f"{text} failed at {row['failed_at']}: {one_line(row['error'])}"
    if row["outcome"] == "succeeded":
        return f"{text} succeeded with {', '.join(row['tools'])}"
    return f"{text} ended as {row['outcome']}"


def _need(missing: MissingArgument) -> PlanNeed:
    need: PlanNeed = {
        "task": missing.task,
        "argument": missing.name,
        "type": " or ".join(missing.types) or "any",
    }
    if missing.about:
        need["about"] = missing.about
    if missing.choices:
        need["choices"] = list(missing.choices)
    if missing.sources:
        need["from_tools"] = list(missing.sources)
    return need


def _order(dependency: Dependency) -> PlanOrder:
    return {
        "task": dependency.target,
        "after": dependency.source,
        "because": [_reason(reason) for reason in dependency.reasons],
        "certainty": round(dependency.certainty, 2),
    }


def _reason(reason: Reason) -> str:
    match reason:
        case FeedsInput(fields):
            feeds = ", ".join(f"{show_path(match.path)} > {match.parameter}" for match in fields)
            return f"its output feeds it: {feeds}"
        case ObservedOrder(path):
            return f"observed: {' > '.join(path.tools)}"
        case DeclaredNeed():
            return "it declares that it needs it"
        case StatedOrder():
            return "the request says so"


def _choice(reason: ChoiceReason) -> str:
    match reason:
        case AnswersStep(step):
            return f"fits {one_line(step)!r}"
        case GivesInput(tool, parameter):
            return f"gives {parameter} to {tool}"
        case NeededBy(tool):
            return f"{tool} needs it"
        case OnTheWay(source, target):
            return f"usually between {source} and {target}"
        case Replaces(task):
            return f"replaces {task}, which failed"
        case Unfinished(task):
            return f"stands for {task}, which could not start"
