"""What waits for what: the graph of a workflow's tasks, its cycles and its layers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from recollect.workflow.task import Task


@dataclass(frozen=True, slots=True)
class TaskGraph:
    """`sources` are the tasks that each waits for, `dependents` those that wait for it.

    `layers` is the length of the longest way that leads to each.
    """

    sources: Mapping[str, tuple[str, ...]]
    dependents: Mapping[str, tuple[str, ...]]
    layers: Mapping[str, int]

    def below(
        self, ids: Iterable[str], follows: Callable[[str, str], bool] = lambda _, __: True
    ) -> list[str]:
        """The tasks that wait for these, directly or not; each once.

        A way goes on from a task to a dependent only where `follows` says so.
        """
        reached: dict[str, None] = {}
        waiting = list(ids)
        while waiting:
            source = waiting.pop()
            for dependent in self.dependents.get(source, ()):
                if dependent not in reached and follows(source, dependent):
                    reached[dependent] = None
                    waiting.append(dependent)
        return list(reached)


def task_graph(tasks: Iterable[Task]) -> TaskGraph:
    """The graph of tasks without a cycle. Sources that are no tasks here are left out."""
    by_id = {task.id: task for task in tasks}
    sources = {id: _sources(task, by_id) for id, task in by_id.items()}
    dependents: dict[str, list[str]] = {id: [] for id in by_id}
    for id, waits_for in sources.items():
        for source in waits_for:
            dependents[source].append(id)
    return TaskGraph(
        sources, {id: tuple(others) for id, others in dependents.items()}, _layers(sources, dependents)
    )


def cycle(tasks: Sequence[Task]) -> tuple[str, ...]:
    """The tasks of one cycle in order, or nothing. The same for every order of the tasks."""
    by_id = {task.id: task for task in sorted(tasks, key=lambda task: task.id)}
    sources = {id: _sources(task, by_id) for id, task in by_id.items()}
    done: set[str] = set()
    for start, first in sources.items():
        path: dict[str, None] = {}
        stack = [(start, iter(first))]
        while stack:
            id, rest = stack[-1]
            path[id] = None
            following = next((source for source in rest if source not in done), None)
            if following is None:
                done.add(id)
                del path[id]
                stack.pop()
            elif following in path:
                names = list(path)
                return tuple(reversed(names[names.index(following) :]))
            else:
                stack.append((following, iter(sources[following])))
    return ()


def _sources(task: Task, by_id: Mapping[str, Task]) -> tuple[str, ...]:
    return tuple(id for id in dict.fromkeys([*task.inputs(), *task.after]) if id in by_id)


def _layers(
    sources: Mapping[str, tuple[str, ...]], dependents: Mapping[str, Sequence[str]]
) -> dict[str, int]:
    layers: dict[str, int] = {}
    waiting = {id: len(waits_for) for id, waits_for in sources.items()}
    layer = [id for id, count in waiting.items() if not count]
    depth = 0
    while layer:
        following: list[str] = []
        for id in layer:
            layers[id] = depth
            for dependent in dependents[id]:
                waiting[dependent] -= 1
                if not waiting[dependent]:
                    following.append(dependent)
        layer, depth = following, depth + 1
    return layers
