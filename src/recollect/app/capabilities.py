"""Keeping code that worked, and counting how often it does."""

from difflib import get_close_matches

from recollect.errors import NotFoundError
from recollect.learning.capabilities import Capability, capability_of, renamed
from recollect.learning.ports import CapabilityStore
from recollect.records.redaction_port import RedactionGate
from recollect.sandbox.stubs import function_name
from recollect.workflow.run_state import RunState, TaskRun


def learn_capability(store: CapabilityStore, state: RunState, gate: RedactionGate) -> None:
    """Keep the code of a run in which every call succeeded; count known code either way.

    Code with a secret in it is not kept. Raises StoreError.
    """
    for run in state.tasks.values():
        if run.task.code and run.status in ("succeeded", "failed"):
            _learn(store, state, run, gate)


def _learn(store: CapabilityStore, state: RunState, run: TaskRun, gate: RedactionGate) -> None:
    calls = [
        other
        for other in state.tasks.values()
        if other.task.origin and other.task.origin.parent == run.task.id
    ]
    functions = {function_name(call.task.tool): call.task.tool for call in calls}
    capability = capability_of(
        run.task.code, state.workflow.intent, functions, dict(run.task.arguments)
    )
    if capability is None:
        return
    has_succeeded = run.status == "succeeded" and all(call.status == "succeeded" for call in calls)
    if store.count(capability.digest, succeeded=has_succeeded) or not (has_succeeded and calls):
        return
    _, findings = gate([capability.code, capability.intent, dict(capability.parameters)])
    if not findings:
        store.put(renamed(capability, frozenset(each.name for each in store.all())))


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
