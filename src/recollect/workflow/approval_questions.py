"""The calls of a run that wait for a person, as its events tell."""

from collections.abc import Sequence

from recollect.workflow import events
from recollect.workflow.calling import ApprovalQuestion
from recollect.workflow.run_state import RunState


def open_questions(state: RunState, happened: Sequence[events.RunEvent]) -> list[ApprovalQuestion]:
    """What a person is asked now, in the order of the workflow."""
    requested = {
        (event.task, event.approval): event
        for event in happened
        if isinstance(event, events.ApprovalRequested)
    }
    waiting = [state.tasks[id] for id in state.having("waiting_approval")]
    pairs = [(run, requested[run.task.id, run.approval]) for run in waiting]
    return [
        ApprovalQuestion(run.task.id, event.approval, run.task.tool, event.arguments, event.rule)
        for run, event in pairs
    ]
