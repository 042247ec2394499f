"""What follows from what happened: which tasks become ready, which are skipped, and when a run is over."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from recollect.workflow import events
from recollect.workflow.reducer import INTERRUPTED
from recollect.workflow.run_state import RunState, TaskRun, reader
from recollect.workflow.task import Task

_DECISIONS: tuple[events.PauseReason, ...] = ("error", "approval", "in_doubt", "missing_value")


def consequences(state: RunState, event: events.RunEvent) -> Sequence[events.RunEvent]:
    """What follows at once from an event that `state` already has. Each has consequences of its own."""
    if state.aborting:
        return ()
    match event:
        case events.RunStarted() | events.TasksAdded() | events.RunContinued():
            return list(_next_of(state, state.graph.sources))
        case events.RunResumed():
            expired = expired_inputs(state)
            waiting = [id for id in state.graph.sources if not expired & _read_by(state, id)]
            return [*_interrupted(state), *_renewed(state, expired), *_next_of(state, waiting)]
        case events.TaskReset(task):
            return list(_next_of(state, [task]))
        case events.TaskExpanded(task, 0):
            return [events.TaskSucceeded(task, [], source="items")]
        case (
            events.TaskSucceeded(task)
            | events.TaskFailed(task)
            | events.TaskSkipped(task)
            | events.TaskCancelled(task)
        ):
            return list(_after(state, state.tasks[task]))
        case events.ApprovalDecided(task, approved=False, by=by):
            return [events.TaskFailed(task, f"not approved ({by})", "refused")]
        case _:
            return ()


def startable(state: RunState, starting: Collection[str] = ()) -> Iterator[str]:
    """The tasks that may start now, in order, within the limits of the run, of servers and of lists.

    Those that are `starting` already count, and are left out.
    """
    if state.status != "running" or state.aborting:
        return
    free = state.workflow.parallel - _open_calls(state) - len(starting)
    items = Counter(place.parent for id in starting if (place := state.tasks[id].task.item))
    calls = _calls_by_server(state, starting) if state.workflow.per_server else Counter[str]()
    for id in state.ready:
        if free <= 0:
            return
        task = state.tasks[id].task
        if id in starting or (state.workflow.per_server and _is_busy(state, task, calls)):
            continue
        if task.item is not None:
            parent = state.tasks[task.item.parent]
            assert parent.task.for_each is not None
            if parent.running_items + items[parent.task.id] >= parent.task.for_each.parallel:
                continue
            items[parent.task.id] += 1
        elif state.workflow.decide == "each_layer" and state.graph.layers[id] > state.layer:
            continue
        free -= 1
        if task.for_each is None:
            calls[task.server] += 1
        yield id


def _calls_by_server(state: RunState, starting: Collection[str]) -> Counter[str]:
    calls = Counter(run.task.server for run in _calling(state))
    return calls + Counter(state.tasks[id].task.server for id in starting)


def _is_busy(state: RunState, task: Task, calls: Mapping[str, int]) -> bool:
    """Whether a server has as many calls as it may; a list and code are no calls, what they make is."""
    return task.for_each is None and not task.code and calls[task.server] >= state.workflow.per_server


def settled(state: RunState) -> events.RunEvent | None:
    """How a run stands in which nothing is left to follow: finished, paused, or still busy (None).

    To be asked when no call is open and no retry is due.
    """
    if state.has_ended:
        return None
    if state.aborting:
        return None if any(_calling(state)) else events.RunFinished("aborted")
    if state.status == "paused" or next(startable(state), None) is not None or any(_calling(state)):
        return None
    if failures := state.failures():
        return events.RunPaused("error", tuple(failures))
    if doubtful := state.having("in_doubt"):
        return events.RunPaused("in_doubt", tuple(doubtful))
    if waiting := state.having("waiting_approval"):
        return events.RunPaused("approval", tuple(waiting))
    if state.workflow.decide == "each_layer" and state.ready:
        return events.RunPaused("layer")
    return events.RunFinished(_end(state))


def _end(state: RunState) -> events.RunEnd:
    """How the run ended. What became of a call that code made is the code's own affair."""
    if not state.counts.get("failed") and not state.counts.get("cancelled"):
        return "succeeded"
    ends = {run.status for run in state.tasks.values() if run.task.origin is None}
    if not ends & {"failed", "cancelled"}:
        return "succeeded"
    return "partial" if "succeeded" in ends else "failed"


def _calling(state: RunState) -> Iterator[TaskRun]:
    if state.counts.get("running"):
        yield from (run for run in state.tasks.values() if run.is_calling)


def _open_calls(state: RunState) -> int:
    return state.counts.get("running", 0) - state.open_lists - state.open_code


def _interrupted(state: RunState) -> Iterator[events.RunEvent]:
    """Calls that were open when the process ended: what only reads is done again, a write is in doubt."""
    for run in state.tasks.values():
        if run.task.item is not None and run.status == "pending":  # it waited for its next try
            yield events.TaskReady(run.task.id)
        if not run.is_calling:
            continue
        if run.effect == "write":
            yield events.TaskInDoubt(run.task.id, "Recollect ended while the call was open")
        else:
            yield events.TaskReset(run.task.id, INTERRUPTED)


def expired_inputs(state: RunState) -> set[str]:
    """The tasks whose output has expired and is read by one that has not ended, or by another of these."""
    expired = {id for id in state.graph.sources if state.expired(id)}
    readers = [id for id in state.graph.sources if _may_read(state, id)] if expired else []
    needed: set[str] = set()
    while readers:
        following = (expired & _read_by(state, readers.pop())) - needed
        needed |= following
        readers += following
    return needed


def _may_read(state: RunState, id: str) -> bool:
    """Whether a task may still be called: it has not ended, or may be tried again."""
    return not state.tasks[id].has_ended or _is_undecided(state, state.tasks[id])


def _read_by(state: RunState, id: str) -> set[str]:
    references = state.tasks[id].task.references()
    return {reference.source for reference in references if reference.is_output}


def _renewed(state: RunState, expired: Collection[str]) -> Iterator[events.RunEvent]:
    """Outputs that are needed again: what only reads is asked again, a person decides about a write."""
    for id in sorted(expired, key=lambda id: state.graph.layers[id]):
        if any(run.effect == "write" for run in state.expired(id)):
            yield events.TaskInDoubt(id, "it was done, and its output has expired")
        else:
            yield events.TaskReset(id, "its output has expired")
    for id, run in state.tasks.items():
        is_about_to_read = run.status in ("ready", "waiting_approval") and run.task.item is None
        if is_about_to_read and not _read_by(state, id).isdisjoint(expired):
            yield events.TaskReset(id, INTERRUPTED)
    if expired and state.paused_for in _DECISIONS:  # it pauses again for what is still to be decided
        yield events.RunContinued(accepts=False)


def _next_of(state: RunState, ids: Iterable[str]) -> Iterator[events.RunEvent]:
    for id in ids:
        run = state.tasks[id]
        if run.status == "pending" and run.task.item is None:
            following = _decision(state, run)
            if following is not None:
                yield following


def _decision(state: RunState, run: TaskRun) -> events.RunEvent | None:
    """Whether a task that waits is ready, or skipped, or waits on (None)."""
    task = run.task
    if run.awaits and not any(state.tasks[id].has_ended for id in run.awaits):
        return None
    sources = [state.tasks[id] for id in state.graph.sources[task.id]]
    if not all(source.has_ended for source in sources):
        return None
    inputs = set(task.inputs())
    missing = [run for run in sources if run.task.id in inputs and run.status != "succeeded"]
    if any(_is_undecided(state, run) for run in missing):
        return None
    if missing:
        return events.TaskSkipped(task.id, f"{missing[0].task.id} {_words(missing[0])}")
    read = reader(state, task)
    failing = next((condition for condition in task.when if not condition.holds(read)), None)
    if failing is not None:
        return events.TaskSkipped(task.id, f"{failing} is not true")
    return events.TaskReady(task.id)


def _is_undecided(state: RunState, run: TaskRun) -> bool:
    """Whether a task failed and nobody has said yet what to do about it."""
    asks = state.workflow.decide != "never" and run.task.id not in state.accepted
    return run.status == "failed" and asks


def _words(run: TaskRun) -> str:
    return {"failed": "failed", "skipped": "was skipped", "cancelled": "was cancelled"}[run.status]


def _after(state: RunState, run: TaskRun) -> Iterator[events.RunEvent]:
    task = run.task
    if task.item is not None:
        parent = state.tasks[task.item.parent]
        if not parent.open_items and parent.status == "running":
            yield _list_end(state, parent)
        return
    if task.code:
        yield from _abandoned(state, task.id)
    if task.origin is not None:
        yield from _next_of(state, [task.origin.parent])
        return
    yield from _next_of(state, state.graph.dependents[task.id])
    asks = state.workflow.decide == "each_task" and state.status == "running"
    if asks and run.status != "skipped" and any(not other.has_ended for other in state.tasks.values()):
        yield events.RunPaused("task", (task.id,))


def _abandoned(state: RunState, parent: str) -> Iterator[events.RunEvent]:
    """Calls that code began and did not wait for: those that have not left do not leave any more."""
    for run in state.tasks.values():
        is_own = run.task.origin is not None and run.task.origin.parent == parent
        if is_own and not run.has_ended and not run.is_calling and run.status != "in_doubt":
            yield events.TaskCancelled(run.task.id, "the code that made this call has ended")


def _list_end(state: RunState, parent: TaskRun) -> events.RunEvent:
    id, items = parent.task.id, state.items(parent.task.id)
    failed = [item for item in items if item.status != "succeeded"]
    if not failed:
        spent = sum(item.milliseconds for item in items)
        return events.TaskSucceeded(id, [item.output for item in items], spent, "items")
    first = failed[0]
    return events.TaskFailed(
        id, f"{len(failed)} of {len(items)} items failed; {first.task.id}: {first.error}", "items"
    )
