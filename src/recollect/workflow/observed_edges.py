"""What a run teaches about tools: which one was fed by which."""

from recollect.workflow.run_state import RunState
from recollect.workflow.task import CODE


def dependency_pairs(state: RunState) -> list[tuple[str, str]]:
    """The tools of tasks that succeeded, each with a tool whose task it needed; every pair of tasks once.

    Code is no tool. A call for an item of a list counts with its list, and calls of code for themselves.
    """
    pairs = []
    for run in state.tasks.values():
        if run.status != "succeeded" or run.task.item is not None:
            continue
        for needed in run.task.inputs():
            source = state.tasks.get(needed)
            if source is not None and source.status == "succeeded":
                pairs.append((source.task.tool, run.task.tool))
    return [pair for pair in pairs if CODE not in pair and "" not in pair]
