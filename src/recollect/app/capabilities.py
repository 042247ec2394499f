"""Keeping code that worked, and counting how often it does."""

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches

from recollect.errors import NotFoundError, Problem, RefusedError
from recollect.gateway.ports import ToolGraphStore
from recollect.gateway.tool import UpstreamTool
from recollect.gateway.tool_graph import EdgeOrigin
from recollect.learning.capabilities import (
    Capability,
    capability_of,
    is_name,
    renamed,
    schema_digests,
    surplus,
)
from recollect.learning.ports import CapabilityStore
from recollect.records.json_format import Json, JsonObject
from recollect.records.redaction_port import RedactionGate
from recollect.sandbox.stubs import function_name
from recollect.workflow.code_family import children, descendants
from recollect.workflow.document import InvalidWorkflowError
from recollect.workflow.run_state import RunState, TaskRun
from recollect.workflow.task import CAPABILITY


def learn_capability(
    store: CapabilityStore,
    state: RunState,
    gate: RedactionGate,
    tools: Mapping[str, UpstreamTool],
) -> list[Capability]:
    """Keep the code of a run in which every call succeeded; count known code either way. What succeeded.

    Code with a secret in it is not kept, and the least useful makes room for more. `tools` are those that
    code can call now. Raises StoreError.
    """
    ended = [
        (run, _capability(state, run, tools))
        for run in state.tasks.values()
        if run.task.code and run.status in ("succeeded", "failed")
    ]
    return [
        capability
        for run, capability in ended
        if capability is not None and _learn(store, state, run, capability, gate)
    ]


def _capability(state: RunState, run: TaskRun, tools: Mapping[str, UpstreamTool]) -> Capability | None:
    """What would be kept of the code of a task."""
    calls = children(state, run.task.id)
    functions = {
        function_name(call.task.tool): call.task.tool.removeprefix(CAPABILITY) for call in calls
    }
    capability = capability_of(
        run.task.code, state.workflow.intent, functions, dict(run.task.arguments)
    )
    if capability is None:
        return None
    used = {each.task.tool for each in descendants(state, run.task.id) if not each.task.code}
    schemas = schema_digests(tools[id] for id in sorted(used) if id in tools)
    return replace(capability, tools=tuple(sorted(used)), schemas=schemas)


def _learn(
    store: CapabilityStore, state: RunState, run: TaskRun, capability: Capability, gate: RedactionGate
) -> bool:
    """Whether the capability is one, and succeeded."""
    calls = children(state, run.task.id)
    has_succeeded = run.status == "succeeded" and all(call.status == "succeeded" for call in calls)
    if store.count(capability.digest, succeeded=has_succeeded):
        if has_succeeded:
            store.pin(capability.digest, capability.schemas)
        return has_succeeded
    if not (has_succeeded and calls):
        return False
    if run.task.origin is not None:  # a capability that was forgotten meanwhile
        return False
    _, findings = gate([capability.code, capability.intent, dict(capability.parameters)])
    if findings:
        return False
    store.put(renamed(capability, frozenset(each.name for each in store.all())))
    for each in surplus(store.all(), capability.digest):
        store.remove(each.name)
    return True


def connect_tools(
    graph: ToolGraphStore, capability: Capability, at: str, origin: EdgeOrigin = "inferred"
) -> None:
    """Add to the tool graph which tools a capability contains. One that contains a single one says nothing.

    It is known by its digest there, because people rename it. Raises StoreError.
    """
    for tool in capability.tools if len(capability.tools) > 1 else ():
        graph.observe(f"{CAPABILITY}{capability.digest[:16]}", tool, at, "contains", origin)


def capability_outcomes(state: RunState) -> list[tuple[str, bool]]:
    """The capabilities that ended in a run, each with whether it succeeded."""
    return [
        (run.task.tool.removeprefix(CAPABILITY), run.status == "succeeded")
        for run in state.tasks.values()
        if run.task.tool.startswith(CAPABILITY) and run.status in ("succeeded", "failed")
    ]


def with_capabilities(document: Json, store: CapabilityStore) -> Json:
    """A workflow in which tasks that call capabilities run their code. Raises InvalidWorkflowError.

    The run has the code as it is now: what becomes of the capability later does not change it.
    """
    tasks = document.get("tasks") if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(tasks, list):
        return document
    resolved = [_resolved(task, f"tasks[{number}]", store) for number, task in enumerate(tasks)]
    return {**document, "tasks": resolved}


def _resolved(task: Json, place: str, store: CapabilityStore) -> Json:
    if not isinstance(task, dict) or not isinstance(task.get("capability"), str):
        return task
    if others := sorted(task.keys() & {"tool", "code"}):
        problem = Problem(f"{place}.{others[0]}", "a task has a capability, a tool or code")
        raise InvalidWorkflowError([problem])
    try:
        capability = known_capability(store, str(task["capability"]))
    except NotFoundError as error:
        raise InvalidWorkflowError([Problem(f"{place}.capability", str(error))]) from None
    arguments = task.get("arguments") or {}
    if not isinstance(arguments, dict):
        return task
    if unknown := sorted(arguments.keys() - capability.parameters.keys()):
        names = ", ".join(capability.parameters) or "none"
        problem = Problem(f"{place}.arguments", f"there is no parameter {unknown[0]!r}; it has {names}")
        raise InvalidWorkflowError([problem])
    rest = {name: value for name, value in task.items() if name != "capability"}
    values: JsonObject = {**capability.parameters, **arguments}
    tool = f"{CAPABILITY}{capability.name}"
    return {**rest, "tool": tool, "code": capability.code, "arguments": values}


def rename_capability(store: CapabilityStore, name: str, new: str) -> None:
    """Give a capability another name. Raises NotFoundError, and RefusedError for one that it cannot have."""
    known_capability(store, name)
    if not is_name(new):
        raise RefusedError(
            f"{new!r} is not a valid name: use at most 48 of a-z, 0-9 and _, a letter first."
        )
    if not store.rename(name, new):
        raise RefusedError(f"a capability named {new!r} already exists.")


def known_capability(store: CapabilityStore, name: str) -> Capability:
    """One capability by its name. Raises NotFoundError that offers similar ones."""
    by_name = {each.name: each for each in store.all()}
    if name in by_name:
        return by_name[name]
    similar = get_close_matches(name, by_name, n=3)
    hint = (
        f"did you mean {' or '.join(map(repr, similar))}?"
        if similar
        else "`capability list` shows them."
    )
    raise NotFoundError(f"there is no capability {name!r}; {hint}")
