"""What each event does to the state of a run."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from recollect.records.json_format import Json
from recollect.workflow import events
from recollect.workflow.document import item_id, tasks_of, workflow_of
from recollect.workflow.references import resolved
from recollect.workflow.run_state import RunState, TaskRun, TaskStatus, reader
from recollect.workflow.task import ItemPlace, Task, Workflow
from recollect.workflow.task_graph import task_graph


def started(event: events.RunStarted) -> RunState:
    """The state that a run begins with."""
    workflow = workflow_of(event.workflow)
    state = _with_tasks(_empty(workflow), workflow.tasks)
    return replace(state, rehearsal=event.rehearsal, fork_of=event.fork_of, context=workflow.context)


def reduced(entries: Sequence[events.RunEvent]) -> RunState:
    """The state after all events of a run; the first is RunStarted."""
    first, *others = entries
    assert isinstance(first, events.RunStarted), "a run begins with RunStarted"
    state = started(first)
    for event in others:
        state = reduce(state, event)
    return state


def reduce(state: RunState, event: events.RunEvent) -> RunState:  # noqa: C901, PLR0912 - one arm for each event
    """The state after one more event."""
    match event:
        case events.RunStarted():
            return started(event)
        case events.RunResumed():
            return _resumed(state)
        case events.RunPaused(reason, tasks):
            return replace(state, status="paused", paused_for=reason, paused_about=tasks)
        case events.RunContinued(accepts):
            return _continued(state, accepts)
        case events.RunAborting():
            return replace(state, status="running", paused_for=None, paused_about=(), aborting=True)
        case events.RunFinished(status):
            return replace(state, status=status, paused_for=None, paused_about=())
        case events.TasksAdded(documents):
            return _with_tasks(state, tasks_of(list(documents)))
        case events.TaskReady(task):
            return _changed(state, task, "ready")
        case events.TaskExpanded(task, _, values):
            return _expanded(state, state.tasks[task], values)
        case events.ApprovalRequested(task, approval, arguments):
            run = replace(state.tasks[task], approval=approval, arguments=arguments)
            return state.with_task(replace(run, status="waiting_approval"))
        case events.ApprovalDecided(task, _, approved):
            return _decided(state, state.tasks[task], approved)
        case events.TaskStarted(task, attempt, effect, arguments):
            run = state.tasks[task]
            started_run = replace(
                run, status="running", attempts=attempt, effect=effect, arguments=arguments, error=""
            )
            return _with_running(state.with_task(started_run), run.task, 1)
        case events.TaskSucceeded(task):
            return _succeeded(state, state.tasks[task], event)
        case events.TaskFailed(task, error, kind, milliseconds):
            run = replace(state.tasks[task], error=error, failure=kind, milliseconds=milliseconds)
            return _ended(state, run, "failed")
        case events.TaskRetried(task, error):
            run = state.tasks[task]
            attempts = run.attempts + (not run.is_calling)
            waiting = replace(run, status="pending", error=error, attempts=attempts)
            return _with_running(state.with_task(waiting), run.task, -run.is_calling)
        case events.TaskSuspended(task, awaited, sealed):
            run = state.tasks[task]
            suspended = replace(run, status="pending", awaits=awaited, suspended=sealed)
            return _with_running(state.with_task(suspended), run.task, -1)
        case events.TaskSkipped(task, reason):
            return _ended(state, replace(state.tasks[task], error=reason), "skipped")
        case events.TaskCancelled(task, reason):
            return _ended(state, replace(state.tasks[task], error=reason), "cancelled")
        case events.TaskInDoubt(task, reason):
            run = state.tasks[task]
            doubtful = state.with_task(replace(run, status="in_doubt", error=reason))
            return _with_running(doubtful, run.task, -run.is_calling)
        case events.TaskReset():
            return _reset(state, event)
        case events.ContextSet(values):
            return replace(state, context={**state.context, **values})
        case events.MessageAdded(author, text):
            return replace(state, messages=(*state.messages, (author, text)))
        case events.CommandApplied() | events.CommandRefused():
            return state


def _empty(workflow: Workflow) -> RunState:
    return RunState(replace(workflow, tasks=()), task_graph(()), {}, {})


def _with_tasks(state: RunState, tasks: Sequence[Task]) -> RunState:
    together = (*state.workflow.tasks, *tasks)
    runs = {**state.tasks, **{task.id: TaskRun(task) for task in tasks}}
    return replace(
        state,
        workflow=replace(state.workflow, tasks=together),
        graph=task_graph(together),
        tasks=runs,
        counts=Counter(run.status for run in runs.values()),
    )


def _resumed(state: RunState) -> RunState:
    """A run that was only stopped goes on; one that waits for a decision still does."""
    if state.status == "paused" and state.paused_for != "stopped":
        return state
    return replace(state, status="running", paused_for=None, paused_about=())


def _continued(state: RunState, accepts: bool) -> RunState:
    layer = state.layer + (state.paused_for == "layer")
    accepted = state.accepted.union(state.failures()) if accepts else state.accepted
    return replace(
        state, status="running", paused_for=None, paused_about=(), layer=layer, accepted=accepted
    )


def _changed(state: RunState, task: str, status: TaskStatus) -> RunState:
    return state.with_task(replace(state.tasks[task], status=status))


def _ended(state: RunState, run: TaskRun, status: TaskStatus) -> RunState:
    """A task is over; the task whose item it is hears of it."""
    was_running = run.is_calling
    was_open = not run.has_ended
    ended = state.with_task(replace(run, status=status))
    if run.task.item is None:
        return ended
    parent = ended.tasks[run.task.item.parent]
    return ended.with_task(
        replace(
            parent,
            open_items=parent.open_items - was_open,
            running_items=parent.running_items - was_running,
        )
    )


def _with_running(state: RunState, task: Task, change: int) -> RunState:
    if task.item is None:
        return state
    parent = state.tasks[task.item.parent]
    return state.with_task(replace(parent, running_items=parent.running_items + change))


def _decided(state: RunState, run: TaskRun, approved: bool) -> RunState:
    if not approved:
        return state.with_task(replace(run, approval=""))
    return state.with_task(replace(run, status="ready", approved=True))


def _succeeded(state: RunState, run: TaskRun, event: events.TaskSucceeded) -> RunState:
    """The output of a list is what its items gave, whether or not the event has it."""
    items = event.source == "items"
    ended = replace(
        run,
        output=[item.output for item in state.items(run.task.id)] if items else event.output,
        source=event.source,
        handle=event.handle,
        stored_as=event.stored_as,
        milliseconds=event.milliseconds,
        error="",
    )
    return _ended(state, ended, "succeeded")


def _expanded(state: RunState, run: TaskRun, values: Json) -> RunState:
    """Tasks for the items of a list come to life, ready to start."""
    task = run.task
    assert task.for_each is not None
    if values is None:
        values = resolved(task.for_each.items, reader(state, task))
    items: Sequence[Json] = values if isinstance(values, list) else ()
    tasks = [_item_task(task, index) for index in range(len(items))]
    parent = replace(run, status="running", values=tuple(items), open_items=len(items))
    runs = {**state.tasks, **{item.id: TaskRun(item, "ready") for item in tasks}}
    ready = {**state.ready, **{item.id: None for item in tasks}}
    counts = Counter(state.counts)
    counts["ready"] += len(tasks)
    expanded = replace(state, tasks=runs, ready=ready, counts=counts)
    return expanded.with_task(parent)


def _item_task(task: Task, index: int) -> Task:
    return replace(
        task,
        id=item_id(task.id, index),
        needs=(),
        after=(),
        when=(),
        for_each=None,
        item=ItemPlace(task.id, index),
    )


def _reset(state: RunState, event: events.TaskReset) -> RunState:
    """A task is as if it had not been tried; of the items of a list, those that succeeded stay."""
    run = state.tasks[event.task]
    task = run.task if event.arguments is None else replace(run.task, arguments=event.arguments)
    was_running = run.is_calling
    if run.values is not None:
        return _reset_items(state, run)
    attempts = run.attempts if event.reason == INTERRUPTED else 0
    again: TaskStatus = "pending" if task.item is None else "ready"
    reset = replace(state, accepted=state.accepted - {task.id})
    reset = reset.with_task(TaskRun(task, again, attempts=attempts))
    if task.item is None:
        tasks = tuple(task if other.id == task.id else other for other in state.workflow.tasks)
        changed = state.workflow if event.arguments is None else replace(state.workflow, tasks=tasks)
        graph = state.graph if event.arguments is None else task_graph(tasks)
        return replace(reset, workflow=changed, graph=graph)
    parent = reset.tasks[task.item.parent]
    return reset.with_task(
        replace(
            parent,
            open_items=parent.open_items + run.has_ended,
            running_items=parent.running_items - was_running,
        )
    )


INTERRUPTED = "interrupted"


def _reset_items(state: RunState, run: TaskRun) -> RunState:
    items = state.items(run.task.id)
    open_items = [item for item in items if item.status != "succeeded" or item.has_expired]
    for item in open_items:
        state = state.with_task(TaskRun(item.task, "ready"))
    parent = replace(run, status="running", error="", open_items=len(open_items), running_items=0)
    return replace(state.with_task(parent), accepted=state.accepted - {run.task.id})
