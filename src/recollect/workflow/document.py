"""A workflow as a document: what people and agents write, and what the journal stores."""

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from keyword import iskeyword
from typing import Any, get_args

from recollect.errors import InvalidError, Problem, RefusedError
from recollect.records.fields import Anything, Choice, Count, Field, Listing, Object, Text, check_fields
from recollect.records.json_format import Json, JsonObject
from recollect.records.record import FORMAT_VERSION
from recollect.workflow.conditions import parse_condition
from recollect.workflow.references import RESERVED, references
from recollect.workflow.task import (
    CAPABILITY,
    CODE,
    FAN_OUT,
    MOST_TASKS,
    PARALLEL,
    ApprovalNeed,
    CodePlace,
    Decide,
    ForEach,
    ItemPlace,
    Retry,
    Task,
    Workflow,
)

TASK_ID = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_ITEM_ID = re.compile(rf"({TASK_ID.pattern})\[(\d{{1,9}})\]")
_LONGEST = 24 * 3_600.0  # seconds that one task may take
_SHOWN_PROBLEMS = 10

TASK_FIELDS = (
    Field("id", Text(1, 80), "the task's unique name, such as read_page", required=True),
    Field("tool", Text(1), "the tool's id, as in filesystem:read_file; without it there is code"),
    Field("code", Text(1), "Python that calls tools, instead of a tool; arguments are its variables"),
    Field("capability", Text(1), "the name of a capability, instead; arguments are its parameters"),
    Field("arguments", Object(()), "what the tool is called with; ${task.path} is an output"),
    Field("needs", Listing(Text(1)), "tasks that must have succeeded"),
    Field("after", Listing(Text(1)), "tasks that must have ended in any way"),
    Field("when", Anything(), "a condition or a list of them, as in ${tests.failed} > 0"),
    Field("for_each", Anything(), "a list, a reference to one, or {items, parallel}"),
    Field("retry", Object((Field("attempts", Count(), "tries in all"),)), "{attempts, wait}"),
    Field("timeout", Anything(), "seconds that the call may take"),
    Field("approval", Choice(get_args(ApprovalNeed)), "always: ask a person whatever the policy says"),
    Field(
        "origin", Anything(), "written by Recollect: the task and the line of code that made this call"
    ),
)
WORKFLOW_FIELDS = (
    Field("intent", Text(), "what it is for"),
    Field("decide", Choice(get_args(Decide)), "when the agent is asked what to do"),
    Field("parallel", Count(), "calls at the same time"),
    Field("per_server", Count(), "calls of one server at the same time; 0: as many as parallel allows"),
    Field("context", Object(()), "values that ${context.name} reads"),
    Field(
        "tasks", Listing(Object(TASK_FIELDS), 1, MOST_TASKS), "the tasks, in any order", required=True
    ),
)


class InvalidWorkflowError(InvalidError):
    """A document that is no workflow, or one that cannot run; `problems` has all that is wrong."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = tuple(problems)
        more = len(problems) - _SHOWN_PROBLEMS
        rest = f"; and {more} more" if more > 0 else ""
        super().__init__(
            "the workflow cannot run: " + "; ".join(map(str, problems[:_SHOWN_PROBLEMS])) + rest
        )


def workflow_of(document: Json) -> Workflow:
    """Read a workflow. Raises InvalidWorkflowError."""
    if not isinstance(document, dict):
        raise InvalidWorkflowError([Problem("", 'it must be an object with "tasks"')])
    if problems := list(_problems(document)):
        raise InvalidWorkflowError(problems)
    content: dict[str, Any] = {key: value for key, value in document.items() if value is not None}
    return Workflow(
        tuple(_task(task) for task in content["tasks"]),
        content.get("intent", ""),
        content.get("decide", "on_error"),
        content.get("parallel") or PARALLEL,
        content.get("context", {}),
        content.get("per_server", 0),
    )


def tasks_of(documents: Json) -> tuple[Task, ...]:
    """Read tasks that are added to a run. Raises InvalidWorkflowError."""
    return workflow_of({"tasks": documents}).tasks


def workflow_document(workflow: Workflow) -> JsonObject:
    """What `workflow_of` reads back."""
    document: JsonObject = {"intent": workflow.intent} if workflow.intent else {}
    document |= {"decide": workflow.decide, "parallel": workflow.parallel}
    document |= {"per_server": workflow.per_server} if workflow.per_server else {}
    document |= {"context": dict(workflow.context)} if workflow.context else {}
    return document | {"tasks": [task_document(task) for task in workflow.tasks]}


def task_document(task: Task) -> JsonObject:
    """One task as `tasks_of` reads it back; what has its default is left out."""
    document: JsonObject = {"id": task.id, "tool": task.tool, "arguments": dict(task.arguments)}
    document |= {"needs": list(task.needs)} if task.needs else {}
    document |= {"after": list(task.after)} if task.after else {}
    document |= {"when": [str(condition) for condition in task.when]} if task.when else {}
    if task.for_each is not None:
        document["for_each"] = {"items": task.for_each.items, "parallel": task.for_each.parallel}
    if task.retry != Retry():
        document["retry"] = {"attempts": task.retry.attempts, "wait": task.retry.wait}
    document |= {"timeout": task.timeout} if task.timeout is not None else {}
    document |= {"approval": task.approval} if task.approval != "policy" else {}
    document |= {"code": task.code} if task.code else {}
    if task.origin is not None:
        document["origin"] = {"task": task.origin.parent, "line": task.origin.line}
    return document


def item_id(parent: str, index: int) -> str:
    """The id of the task for one item of a list."""
    return f"{parent}[{index}]"


def item_of(id: str) -> ItemPlace | None:
    """The place that the id of a task for one item names."""
    match = _ITEM_ID.fullmatch(id)
    return ItemPlace(match[1], int(match[2])) if match else None


def _problems(document: JsonObject) -> Iterator[Problem]:
    yield from _unknown(document, WORKFLOW_FIELDS, "")
    shape = list(check_fields(WORKFLOW_FIELDS, document, "", FORMAT_VERSION))
    yield from shape
    tasks = document.get("tasks")
    if shape or not isinstance(tasks, list):
        return
    for number, task in enumerate(tasks):
        assert isinstance(task, dict)
        name = task["id"]
        place = name if isinstance(name, str) and TASK_ID.fullmatch(name) else f"tasks[{number}]"
        if task.get("capability") is not None:
            yield Problem(f"{place}.capability", "only a workflow that is started may call one")
        elif task.get("tool") is None and task.get("code") is None:
            yield Problem(f"tasks[{number}].tool", "is missing; a task has a tool or code")
        yield from _task_problems(task, place)


def _task_problems(task: JsonObject, place: str) -> Iterator[Problem]:
    yield from _unknown(task, TASK_FIELDS, place)
    id = task["id"]
    if not isinstance(id, str) or not TASK_ID.fullmatch(id) or id in RESERVED:
        yield Problem(
            f"{place}.id",
            f"{id!r} is not a valid task name: use letters, digits, _ and -, a letter first, and not "
            + ", ".join(sorted(RESERVED)),
        )
    yield from _code_problems(task, place)
    for name, read in (("arguments", references), ("when", _conditions), ("for_each", _for_each)):
        try:
            read(task.get(name))
        except RefusedError as error:
            yield Problem(f"{place}.{name}", str(error))
    retry = task.get("retry")
    wait = retry.get("wait") if isinstance(retry, dict) else None
    for name, seconds in (("timeout", task.get("timeout")), ("retry.wait", wait)):
        if seconds is not None and not _is_duration(seconds):
            yield Problem(
                f"{place}.{name}",
                f"must be seconds, above 0 and at most {_LONGEST:,.0f}, not {seconds!r}",
            )


def _code_problems(task: JsonObject, place: str) -> Iterator[Problem]:
    """A task has a tool or code. What code may be called with are names."""
    tool, code = task.get("tool"), task.get("code")
    if tool == CODE and code is None:
        yield Problem(f"{place}.code", "is missing")
    if code is None:
        return
    if tool not in (None, CODE) and not str(tool).startswith(CAPABILITY):
        yield Problem(f"{place}.tool", "a task has a tool or code, not both")
    if task.get("approval") == "always":
        yield Problem(f"{place}.approval", "code itself is not approved; its calls are")
    if task.get("for_each") is not None:
        yield Problem(f"{place}.for_each", "code has loops of its own")
    for name in _names(task.get("arguments")):
        if not name.isidentifier() or iskeyword(name):
            yield Problem(f"{place}.arguments", f"{name!r} is not a valid variable name")


def _names(arguments: Json) -> Iterator[str]:
    yield from arguments if isinstance(arguments, dict) else ()


def _unknown(values: Mapping[str, Json], fields: tuple[Field, ...], place: str) -> Iterator[Problem]:
    """A field that is not known is a mistake: what it should do would silently not happen."""
    names = [field.name for field in fields]
    for name in values:
        if name not in names:
            similar = get_close_matches(name, names, n=1)
            hint = f"did you mean {similar[0]!r}?" if similar else f"the fields are {', '.join(names)}"
            yield Problem(place, f"unknown field {name!r}; {hint}")


def _is_duration(seconds: Json) -> bool:
    return (
        isinstance(seconds, int | float) and not isinstance(seconds, bool) and 0 < seconds <= _LONGEST
    )


def _task(document: Mapping[str, Any]) -> Task:
    retry = document.get("retry") or {}
    return Task(
        document["id"],
        document.get("tool") or CODE,
        document.get("arguments") or {},
        tuple(document.get("needs") or ()),
        tuple(document.get("after") or ()),
        _conditions(document.get("when")),
        _for_each(document.get("for_each")),
        Retry(max(1, retry.get("attempts") or 1), float(retry.get("wait") or Retry().wait)),
        document.get("timeout"),
        document.get("approval") or "policy",
        code=document.get("code") or "",
        origin=_origin(document.get("origin")),
    )


def _origin(value: Json) -> CodePlace | None:
    match value:
        case {"task": str(parent), "line": int(line)}:
            return CodePlace(parent, line)
    return None


def _conditions(value: Json) -> tuple[Any, ...]:
    texts = value if isinstance(value, list) else [] if value is None else [value]
    if not all(isinstance(text, str) for text in texts):
        raise RefusedError("a condition is text, as in ${tests.failed} > 0.")
    return tuple(parse_condition(str(text)) for text in texts)


def _for_each(value: Json) -> ForEach | None:
    if value is None:
        return None
    items: Json = value
    parallel = FAN_OUT
    if isinstance(value, dict):
        items, limit = value.get("items"), value.get("parallel")
        if set(value) - {"items", "parallel"}:
            raise RefusedError("for_each has items and parallel, nothing else.")
        if limit is not None:
            if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
                raise RefusedError(f"parallel must be a whole number from 1, not {limit!r}.")
            parallel = limit
    if not isinstance(items, list | str) or (isinstance(items, str) and not references(items)):
        raise RefusedError("it must be a list, or a reference to one such as ${search.items}.")
    references(items)
    return ForEach(items, parallel)
