"""A run made of another: what is done is used again, no write is repeated, no approval is inherited."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from recollect.errors import RefusedError
from recollect.workflow import events
from recollect.workflow.document import workflow_document
from recollect.workflow.reducer import reduced
from recollect.workflow.run_state import RunState, TaskRun
from recollect.workflow.steps import expired_inputs
from recollect.workflow.task import TaskArguments


@dataclass(frozen=True, slots=True)
class Fork:
    """The first events of the new run. `asks` are writes that were done before and would be done anew."""

    events: tuple[events.RunEvent, ...]
    reused: tuple[str, ...]
    asks: tuple[str, ...]


def fork(run: str, entries: Sequence[events.JournalEntry], at: int, changes: TaskArguments) -> Fork:
    """A run that begins as `run` was after event `at`, with other arguments for some tasks.

    Tasks that had succeeded are not repeated, unless their arguments or what they read are others now. Such
    a task that wrote asks a person first. Raises NotFoundError and RefusedError.
    """
    if not 1 <= at <= len(entries):
        raise RefusedError(f"the run has the events 1 to {len(entries)}, not {at}.")
    state = reduced([entry.event for entry in entries[:at]])
    own = [task for task in state.workflow.tasks if task.origin is None]  # code makes its calls again
    changed = replace(state.workflow, tasks=tuple(own)).with_arguments(changes)
    anew = dict.fromkeys([*changes, *state.graph.below(changes)])
    anew |= dict.fromkeys(_expired(state, anew))
    ids = [task.id for task in own]
    reused = [id for id in ids if id not in anew and _is_done(state, id)]
    asks = [id for id in anew if _is_done(state, id) and state.wrote(id)]
    tasks = tuple(
        replace(task, approval="always") if task.id in asks else task for task in changed.tasks
    )
    workflow = replace(changed, tasks=tasks, context=state.context)
    first = events.RunStarted(workflow_document(workflow), fork_of=run)
    succeeded = [_reused(state.tasks[id]) for id in reused]
    return Fork((first, *succeeded), tuple(reused), tuple(asks))


def _reused(run: TaskRun) -> events.TaskSucceeded:
    return events.TaskSucceeded(
        run.task.id, run.output, source="fork", handle=run.handle, stored_as=run.stored_as
    )


def _expired(state: RunState, anew: Collection[str]) -> set[str]:
    """Tasks that are done, whose output has expired and is read by what is still to be done."""
    pending = {id: replace(state.tasks[id], status="pending") for id in anew}
    return expired_inputs(replace(state, tasks={**state.tasks, **pending}))


def _is_done(state: RunState, id: str) -> bool:
    return state.tasks[id].status == "succeeded"
