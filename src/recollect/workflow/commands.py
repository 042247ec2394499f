"""What an agent or a person can tell a run. The list is closed and the same at every door."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from recollect.errors import NotFoundError, NotPermittedError, RefusedError
from recollect.records.json_format import JsonObject
from recollect.workflow import events
from recollect.workflow.document import InvalidWorkflowError, task_document, tasks_of
from recollect.workflow.replanning import Graft
from recollect.workflow.run_state import RunState, TaskRun
from recollect.workflow.task import Task
from recollect.workflow.validation import graph_problems

CommandName = Literal[
    "continue",
    "pause",
    "abort",
    "inject_tasks",
    "replan",
    "skip",
    "modify_args",
    "answer",
    "approve",
    "reject",
    "grant",
]
COMMANDS: tuple[CommandName, ...] = get_args(CommandName)
Author = Literal["agent", "person"]
FOR_PEOPLE = ("approve", "reject", "grant")


@dataclass(frozen=True, slots=True)
class Command:
    """One command. `by` is who gave it, as the door that took it found out; `door` says where."""

    id: str
    name: CommandName
    arguments: JsonObject = field(default_factory=dict)
    by: Author = "agent"
    door: str = ""

    @property
    def author(self) -> str:
        return f"{self.by}, {self.door}" if self.door else self.by

    def task(self) -> str:
        """The task that it is about. Raises RefusedError without one."""
        task = self.arguments.get("task")
        if not isinstance(task, str):
            raise RefusedError(f"{self.name} needs the id of a task.")
        return task


def effects(state: RunState, command: Command) -> Sequence[events.RunEvent]:
    """The events that a command brings about. Raises RefusedError that says why it brings none.

    `replan` brings the tasks that were planned for it (`graft_arguments`); grants are kept beside the runs.
    """
    if state.has_ended:
        raise RefusedError(f"the run has ended ({state.status}); `run fork` starts a new one from it.")
    if command.name in FOR_PEOPLE and command.by != "person":
        raise NotPermittedError(
            f"only a person may {command.name}: on the command line (`recollect run {command.name}`), "
            "on the page, or in a client that asks one."
        )
    if state.aborting:
        raise RefusedError("the run is being aborted.")
    return _EFFECTS[command.name](state, command)


def _continue(state: RunState, command: Command) -> Sequence[events.RunEvent]:
    if state.status != "paused":
        raise RefusedError("the run is not paused.")
    if state.paused_for in ("in_doubt", "approval", "missing_value"):
        about = ", ".join(state.paused_about)
        raise RefusedError(f"the run is waiting for a decision about {about} ({state.paused_for}).")
    return [*_messages(command), events.RunContinued()]


def _pause(state: RunState, _: Command) -> Sequence[events.RunEvent]:
    if state.status == "paused":
        raise RefusedError(f"the run is already paused ({state.paused_for}).")
    return [events.RunPaused("command")]


def _abort(state: RunState, command: Command) -> Sequence[events.RunEvent]:
    reason = str(command.arguments.get("reason") or f"aborted by {command.author}")
    open_tasks = [id for id, run in state.tasks.items() if not run.has_ended and not run.is_calling]
    cancelled = [
        events.TaskCancelled(id, reason) for id in open_tasks if state.tasks[id].status != "in_doubt"
    ]
    return [events.RunAborting(reason), *cancelled]


def _inject(state: RunState, command: Command) -> Sequence[events.RunEvent]:
    if refusal := command.arguments.get("refusal"):
        raise RefusedError(str(refusal))
    tasks = tasks_of(command.arguments.get("tasks"))
    if taken := [task.id for task in tasks if task.id in state.tasks]:
        raise RefusedError(f"the run already has a task {taken[0]!r}; give the new one another id.")
    _check(state, [*state.workflow.tasks, *tasks])
    return [events.TasksAdded(tuple(task_document(task) for task in tasks), command.author)]


def _skip(state: RunState, command: Command) -> Sequence[events.RunEvent]:
    run = _open_task(state, command)
    if run.status == "running":
        raise RefusedError(f"{run.task.id} is running; only abort ends it.")
    return _resumed(state, run, [events.TaskSkipped(run.task.id, f"skipped by {command.author}")])


def _modify(state: RunState, command: Command) -> Sequence[events.RunEvent]:
    run = _open_task(state, command)
    if run.status in ("running", "in_doubt"):
        raise RefusedError(
            f"{run.task.id} is {run.status.replace('_', ' ')}; its arguments can no longer change."
        )
    arguments = command.arguments.get("arguments")
    if not isinstance(arguments, dict):
        raise RefusedError("modify_args needs the arguments, as an object.")
    changed = replace(run.task, arguments=arguments)
    _check(state, [changed if task.id == changed.id else task for task in state.workflow.tasks])
    reset = events.TaskReset(run.task.id, f"new arguments by {command.author}", arguments)
    return _resumed(state, run, [reset])


def _check(state: RunState, tasks: Sequence[Task]) -> None:
    """Raises InvalidWorkflowError for tasks that wait for nothing that is there, or for each other."""
    if wrong := graph_problems(tasks, state.context):
        raise InvalidWorkflowError(wrong)


def _answer(state: RunState, command: Command) -> Sequence[events.RunEvent]:
    if "task" in command.arguments:
        return _settle(state, command)
    context = command.arguments.get("context")
    if context is not None and not isinstance(context, dict):
        raise RefusedError("context must be an object.")
    happened = [*_messages(command), *([events.ContextSet(context)] if context else [])]
    if not happened:
        raise RefusedError("answer needs a text, a context, or a task with its output.")
    return happened


def _settle(state: RunState, command: Command) -> Sequence[events.RunEvent]:
    """A person knows what became of a write in doubt: it happened, with this output."""
    run = _open_task(state, command)
    if run.status != "in_doubt":
        raise RefusedError(f"{run.task.id} is {run.status}, not in doubt.")
    if command.by != "person":
        raise NotPermittedError(f"only a person may say whether {run.task.id} happened.")
    succeeded = events.TaskSucceeded(run.task.id, command.arguments.get("output"), source="person")
    return _resumed(state, run, [succeeded])


def _approve(state: RunState, command: Command) -> Sequence[events.RunEvent]:
    run = _open_task(state, command)
    if run.status == "in_doubt":
        return _resumed(state, run, [events.TaskReset(run.task.id, f"repeated by {command.author}")])
    decided = events.ApprovalDecided(run.task.id, _approval(run, command), True, command.author)
    return _resumed(state, run, [decided])


def _reject(state: RunState, command: Command) -> Sequence[events.RunEvent]:
    run = _open_task(state, command)
    if run.status == "in_doubt":
        failed = events.TaskFailed(run.task.id, f"given up by {command.author}", "refused")
        return _resumed(state, run, [failed])
    decided = events.ApprovalDecided(run.task.id, _approval(run, command), False, command.author)
    return _resumed(state, run, [decided])


def _approval(run: TaskRun, command: Command) -> str:
    """The call that the decision is about: this one, and no other."""
    if run.status != "waiting_approval":
        raise RefusedError(f"{run.task.id} is {run.status}; it is not waiting for an approval.")
    approval = command.arguments.get("approval")
    if approval != run.approval:
        raise RefusedError(
            f"the approval {approval!r} is not for this call of {run.task.id}: its arguments or its "
            "attempt differ."
        )
    return run.approval


def graft_arguments(graft: Graft) -> JsonObject:
    """What `replan` adds to a run. Raises RefusedError when a value is missing or nothing can be planned."""
    if missing := graft.plan.missing:
        needs = ", ".join(f"{each.task}.{each.name}" for each in missing)
        raise RefusedError(f"the new plan needs {needs}; give them with inject_tasks or modify_args.")
    if not graft.plan.workflow.tasks:
        raise RefusedError("no other tool does what failed; use modify_args, skip or abort.")
    tasks = [task_document(task) for task in graft.plan.workflow.tasks]
    return {"tasks": list(tasks), "replaces": list(graft.replaces)}


def _replan(state: RunState, command: Command) -> Sequence[events.RunEvent]:
    """New tasks take the place of those that failed and of those that waited for them."""
    replaced = command.arguments.get("replaces")
    waiting = [
        id
        for id in (replaced if isinstance(replaced, list) else ())
        if isinstance(id, str) and id in state.tasks and not state.tasks[id].has_ended
    ]
    skipped = [events.TaskSkipped(id, f"replanned by {command.author}") for id in waiting]
    goes_on = [events.RunContinued()] if state.status == "paused" else []
    return [*_inject(state, command), *skipped, *goes_on]


def _needs_more(_: RunState, command: Command) -> Sequence[events.RunEvent]:
    raise RefusedError(
        f"{command.name} does not apply to a single run; `recollect run grant` creates one."
    )


def _messages(command: Command) -> list[events.RunEvent]:
    text = command.arguments.get("text")
    return [events.MessageAdded(command.author, text)] if isinstance(text, str) and text else []


def _open_task(state: RunState, command: Command) -> TaskRun:
    id = command.task()
    run = state.tasks.get(id)
    if run is None:
        raise NotFoundError(f"the run has no task {id!r}; it has {', '.join(state.tasks)}.")
    decided = run.status == "failed" and (id in state.accepted or state.workflow.decide == "never")
    if decided or (run.has_ended and run.status != "failed"):
        raise RefusedError(f"{id} has ended ({run.status}).")
    return run


def _resumed(
    state: RunState, run: TaskRun, happened: list[events.RunEvent]
) -> Sequence[events.RunEvent]:
    """A run that was paused for this decision goes on; it pauses again for what is still open."""
    if state.status == "paused" and run.task.id in state.paused_about:
        return [*happened, events.RunContinued(accepts=False)]
    return happened


_EFFECTS: Mapping[CommandName, Callable[[RunState, Command], Sequence[events.RunEvent]]] = {
    "continue": _continue,
    "pause": _pause,
    "abort": _abort,
    "inject_tasks": _inject,
    "replan": _replan,
    "skip": _skip,
    "modify_args": _modify,
    "answer": _answer,
    "approve": _approve,
    "reject": _reject,
    "grant": _needs_more,
}
