"""What is known of a session beside what it has in mind: what was done in it, and what went wrong."""

from __future__ import annotations

from recollect.values import Frozen

# Commands that look and change nothing are no step of a fix.
_LOOKING = frozenset(
    """awk cat cd curl diff du echo env file find git grep head less ls pwd rg sed tail tree type wc
    which""".split()  # noqa: SIM905
)


class Failure(Frozen):
    """An error that a command ended in. `resolved` when the command has succeeded since."""

    fingerprint: str
    command: str
    content: str
    event: int
    times: int = 1
    resolved: bool = False


class Action(Frozen):
    """Something that was done: a commit, an edit or, while something was broken, a command."""

    kind: str
    text: str
    event: int


class Record(Frozen):
    """What is known of a session. Deeds and troubles are in the order of their events."""

    session: str
    harness: str = ""
    goal: str = ""
    seen_at: str = ""
    kept: str = ""
    deeds: tuple[Action, ...] = ()
    troubles: tuple[Failure, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.deeds or self.troubles)


def is_step(command: str) -> bool:
    """Whether a command, or one of several on its line, may have changed something."""
    parts = command.replace("&&", ";").replace("|", ";").split(";")
    first = [part.split(maxsplit=1)[0] for part in parts if part.strip()]
    return any(word.rsplit("/", 1)[-1] not in _LOOKING for word in first)


def mark(fingerprint: str) -> str:
    """How a runbook names the error that it is for, so that the error finds it again."""
    return f"fingerprint {fingerprint}"
