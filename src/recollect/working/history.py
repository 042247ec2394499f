"""What was done in a session and what failed in it. Values, and how a tool call changes them.

Not the working memory: items fade, history stays.
"""

from __future__ import annotations

from recollect.values import Frozen, replaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from recollect.working.session import Item

# Commands that only read are no step of a fix.
_READ_ONLY = frozenset(
    """awk cat cd curl diff du echo env file find git grep head less ls pwd rg sed tail tree type wc
    which""".split()  # noqa: SIM905
)
_RECORDED_KINDS = ("commit", "edit")
EARLIER_SESSION = -1  # the event of a failure that another session recorded: before all of this one's


class Failure(Frozen):
    """An error that a command ended in. `event` is its first, `at` the moment of its last.

    `resolved_at` is set when the command has succeeded since.
    """

    fingerprint: str
    command: str
    content: str
    event: int
    times: int = 1
    resolved_at: str | None = None
    session: str = ""
    at: str = ""

    @property
    def resolved(self) -> bool:
        """Whether the command has succeeded since."""
        return self.resolved_at is not None


class Action(Frozen):
    """Something that was done: a commit, an edit or, while a failure was unresolved, a command."""

    kind: str
    text: str
    event: int


class SessionHistory(Frozen):
    """What is known of a session. Actions and failures are in the order of their events."""

    session: str
    harness: str = ""
    goal: str = ""
    summary_memory: str = ""
    actions: tuple[Action, ...] = ()
    failures: tuple[Failure, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.actions or self.failures)


def actions_of(item: Item) -> tuple[Action, ...]:
    """The actions that an item reports: a commit, or one edit for each file."""
    if item.kind not in _RECORDED_KINDS:
        return ()
    texts = item.paths if item.kind == "edit" else (item.content,)
    return tuple([Action(item.kind, text, item.last) for text in texts])


def record_failure(
    item: Item, session: str, same_error: Iterable[Failure], now: str
) -> tuple[Failure, bool]:
    """The failure that an item reports, and whether the error was known.

    `same_error` are the failures of its fingerprint in any session. It was known when another session had
    it, or when this one had it and resolved it. A failure that comes back begins at its new event.
    """
    own, known = None, False
    for failure in same_error:
        known = known or failure.session != session or failure.resolved
        own = failure if failure.session == session else own
    goes_on = own is not None and not own.resolved
    failure = Failure(
        item.fingerprint,
        item.command,
        item.content,
        own.event if own is not None and goes_on else item.last,
        own.times + 1 if own is not None else 1,
        session=session,
        at=now,
    )
    return failure, known


def resolve_failures(unresolved: Iterable[Failure], now: str) -> tuple[Failure, ...]:
    """The failures of a command that succeeded, by fingerprint."""
    resolved = [replaced(failure, resolved_at=now) for failure in unresolved]
    return tuple(sorted(resolved, key=lambda failure: (failure.fingerprint, failure.session)))


def as_seen_from(session: str, failures: Sequence[Failure]) -> tuple[Failure, ...]:
    """The failures with events of this session: what another session recorded was there before it began."""
    return tuple(
        [
            failure if failure.session == session else replaced(failure, event=EARLIER_SESSION)
            for failure in failures
        ]
    )


def is_step(command: str) -> bool:
    """Whether a command, or one of several on its line, may have changed something."""
    parts = command.replace("&&", ";").replace("|", ";").split(";")
    names = [part.split(maxsplit=1)[0] for part in parts if part.strip()]
    return any(name.rsplit("/", 1)[-1] not in _READ_ONLY for name in names)


def fingerprint_label(fingerprint: str) -> str:
    """How a runbook names the error that it fixes, so that a lookup by fingerprint matches it."""
    return f"fingerprint {fingerprint}"
