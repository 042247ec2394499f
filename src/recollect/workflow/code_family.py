"""Which calls belong to which code: those that it makes, and those that capabilities make for it."""

from recollect.workflow.run_state import RunState, TaskRun


def children(state: RunState, parent: str) -> list[TaskRun]:
    """The calls that the code of a task made, in order."""
    return [run for run in state.tasks.values() if run.task.origin and run.task.origin.parent == parent]


def descendants(state: RunState, parent: str) -> list[TaskRun]:
    """The calls of the code of a task, and those of the capabilities among them."""
    below = children(state, parent)
    return [
        *below,
        *(each for run in below if run.task.code for each in descendants(state, run.task.id)),
    ]


def ancestors(state: RunState, id: str) -> list[TaskRun]:
    """A task that runs code, the one whose code called it, and so on up to one that nobody called."""
    run = state.tasks[id]
    return [run, *(ancestors(state, run.task.origin.parent) if run.task.origin else ())]
