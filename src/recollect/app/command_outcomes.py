"""Who waits for a command of a run, and what became of it."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import anyio

from recollect.workflow import events


@dataclass(slots=True)
class _Outcome:
    settled: anyio.Event = field(default_factory=anyio.Event)
    refusal: str = "the run was stopped before it applied the command"


class CommandOutcomes:
    """The commands that somebody in this process waits for. No waiter is left behind."""

    def __init__(self) -> None:
        self._outcomes: dict[str, _Outcome] = {}

    def expect(self, command: str) -> None:
        """Let the outcome of a command be known; `wait` has to follow."""
        self._outcomes[command] = _Outcome()

    async def wait(self, command: str) -> str:
        """Why an expected command was refused, or empty."""
        outcome = self._outcomes[command]
        try:
            await outcome.settled.wait()
        finally:
            self._outcomes.pop(command, None)
        return outcome.refusal

    def settle(self, event: events.RunEvent) -> None:
        """Tell whoever waits for a command that it was applied or refused."""
        if isinstance(event, events.CommandApplied | events.CommandRefused):
            outcome = self._outcomes.get(event.id)
            if outcome is not None:
                outcome.refusal = event.reason if isinstance(event, events.CommandRefused) else ""
                outcome.settled.set()

    def give_up(self, commands: Iterable[str]) -> None:
        """These commands are not applied any more."""
        for command in commands:
            if command in self._outcomes:
                self._outcomes[command].settled.set()
