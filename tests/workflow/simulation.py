"""A run without upstreams: the pure steps, driven event by event, with outcomes that a test chooses."""

from collections.abc import Callable, Sequence
from random import Random

from recollect.records.json_format import JsonObject
from recollect.workflow import events
from recollect.workflow.commands import Command, CommandName, effects
from recollect.workflow.reducer import reduce, started
from recollect.workflow.run_state import RunState
from recollect.workflow.steps import consequences, settled, startable

Outcome = Callable[[str], events.RunEvent]


def succeeds(task: str) -> events.RunEvent:
    return events.TaskSucceeded(task, {"of": task})


class Simulation:
    """Calls run until `finish` ends them; what a test does not end stays open."""

    def __init__(self, tasks: Sequence[JsonObject], **options: object) -> None:
        first = events.RunStarted({"tasks": list(tasks), **options})  # type: ignore[dict-item]
        self.log: list[events.RunEvent] = []
        self.most_open = 0
        self.state: RunState = started(first)
        self.log.append(first)
        self._follow(first)

    def record(self, event: events.RunEvent) -> None:
        self.log.append(event)
        self.state = reduce(self.state, event)
        self._follow(event)

    def _follow(self, event: events.RunEvent) -> None:
        for following in consequences(self.state, event):
            self.record(following)

    @property
    def open(self) -> list[str]:
        return [id for id, run in self.state.tasks.items() if run.is_calling]

    def start(self) -> list[str]:
        """Start what may start; returns what is open then."""
        for id in list(startable(self.state)):
            run = self.state.tasks[id]
            if run.task.for_each is not None:
                listed = run.task.for_each.items
                self.record(events.TaskExpanded(id, len(listed) if isinstance(listed, list) else 0))
                return self.start()
            self.record(events.TaskStarted(id, run.attempts + 1, "read", {}))
        self.most_open = max(self.most_open, len(self.open))
        return self.open

    def settle(self) -> None:
        following = settled(self.state)
        if following is not None:
            self.record(following)

    def run(self, outcome: Outcome = succeeds, seed: int = 0) -> RunState:
        """To where nothing more happens by itself; open calls end in random order."""
        rng = Random(seed)
        while self.start():
            self.record(outcome(rng.choice(self.open)))
        self.settle()
        return self.state

    def send(self, name: CommandName, by: str = "agent", **arguments: object) -> None:
        command = Command("c1", name, arguments, by)  # type: ignore[arg-type]
        for event in effects(self.state, command):
            self.record(event)

    def status(self, task: str) -> str:
        return self.state.tasks[task].status


def task(id: str, **fields: object) -> JsonObject:
    return {"id": id, "tool": "server:tool", **fields}  # type: ignore[dict-item]
