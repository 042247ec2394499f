"""Everything that can be raised, in one tree.

```
RecollectError
├── NotFoundError            a name that leads nowhere
│   ├── MemoryNotFoundError      no memory of that id
│   └── NoProjectError           no memory root here
├── InvalidError             input that cannot be accepted as it is
│   ├── InvalidJsonError         not JSON, or JSON we refuse to guess about
│   │   └── UnreadableFileError      a file that the disk would not give us now
│   ├── InvalidMemoryError       JSON, but not a memory
│   ├── InvalidConfigError       a configuration value out of its bounds
│   └── RefusedError             a request that would make no sense
│       └── NotPermittedError        a rule or a person forbids a call
├── ConflictError            another writer was first
├── UpstreamError            a server behind the gateway does not do what it should
│   └── LoginNeededError         it needs to know who we are
└── StoreError               the disk, the lock or a path said no
    ├── LockedError              another writer holds the lock
    ├── OutsideRootError         a path that leaves the memory root
    ├── UnwritableError          a database that cannot be written now
    ├── DatabaseError            a team's database that cannot be used now
    ├── ModelError               an embedding model that cannot be run
    │   └── ModelBusyError           one that is being loaded, or has other texts to read
    └── StateError               the database of sessions cannot be used
```

Every message names the value with `!r` and says what to do next. An expected outcome (a duplicate
found, nothing changed) is a value, not one of these.
"""

from __future__ import annotations

from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class RecollectError(Exception):
    """The root of all errors that Recollect raises on purpose."""


class NotFoundError(RecollectError):
    """A name that leads nowhere."""


class MemoryNotFoundError(NotFoundError):
    """No memory of that id."""

    def __init__(self, id: str, near: Sequence[str] = ()) -> None:
        hint = f"did you mean {' or '.join(near)}?" if near else "`recollect list` shows the ids."
        super().__init__(f"there is no memory {id!r}; {hint}")


class NoProjectError(NotFoundError):
    """No memory root here."""

    def __init__(self, start: str, distrust: str = "", advice: str = "") -> None:
        self.start, self.distrust = start, distrust
        unused = f" that may be used ({distrust})" if distrust else ""
        more = f", {advice}" if advice else ""
        super().__init__(
            f"no memory root{unused} in {start!r} or above it; `recollect init` creates one here{more}."
        )

    def with_advice(self, advice: str) -> NoProjectError:
        """The same error with something else that can be done about it."""
        return NoProjectError(self.start, self.distrust, advice)


class InvalidError(RecollectError):
    """Input that cannot be accepted as it is."""


class InvalidJsonError(InvalidError):
    """Not JSON, or JSON that we refuse to guess about. `line` counts from 1."""

    def __init__(self, where: str, reason: str, line: int | None = None) -> None:
        self.where, self.reason, self.line = where, reason, line
        super().__init__(f"{where}{f', line {line}' if line else ''}: {reason}")


class UnreadableFileError(InvalidJsonError):
    """A file that the disk would not give us now; another attempt may succeed."""


class Problem(Frozen):
    """One thing wrong with a document: the path of the field, and why, with what to do."""

    field: str
    message: str

    def __str__(self) -> str:
        return f"{self.field}: {self.message}" if self.field else self.message


class InvalidMemoryError(InvalidError):
    """JSON, but not a memory; `problems` lists everything that is wrong with it."""

    def __init__(self, where: str, problems: Sequence[Problem]) -> None:
        self.where, self.problems = where, tuple(problems)
        super().__init__(f"{where}: " + "; ".join(str(problem) for problem in problems))


class InvalidConfigError(InvalidError):
    """A configuration value out of its bounds."""


class RefusedError(InvalidError):
    """A well-formed request that would make no sense, such as a memory superseding itself."""


class NotPermittedError(RefusedError):
    """A rule forbids the call of a tool, or a person does."""


class ConflictError(RecollectError):
    """Another writer was first. Names both versions; nothing was overwritten."""

    def __init__(self, id: str, expected: str, current: str | None, kept_at: str | None) -> None:
        self.id, self.expected, self.current, self.kept_at = id, expected, current, kept_at
        now = f"now at version {current[:12]!r}" if current else "deleted in the meantime"
        rejected = f" Your version is kept in {kept_at!r}." if kept_at else ""
        super().__init__(
            f"memory {id!r} was at version {expected[:12]!r} when it was read, and is {now}; nothing "
            f"was overwritten.{rejected} Look at it with `recollect show {id}` and repeat the change."
        )


class UpstreamError(RecollectError):
    """A server behind the gateway does not do what it should."""

    def __init__(self, server: str, reason: str, advice: str) -> None:
        self.server, self.reason = server, reason
        super().__init__(f"the server {server!r} {reason}; {advice}.")


class LoginNeededError(UpstreamError):
    """A server that needs to know who we are, and a person has to say it."""


class StoreError(RecollectError):
    """The disk, the lock or a path failed."""


class LockedError(StoreError):
    """Another writer had the lock for longer than the wait time."""


class OutsideRootError(StoreError):
    """A path that leaves the memory root."""


class UnwritableError(StoreError):
    """A database that cannot be written now: it is busy, read-only or on a full disk."""


class DatabaseError(StoreError):
    """A team's database that cannot be used now. `is_transient`: the same again may well succeed."""

    def __init__(self, where: str, reason: str, advice: str, *, is_transient: bool = False) -> None:
        self.where, self.reason, self.is_transient = where, reason, is_transient
        super().__init__(f"cannot use the database {where} ({reason}); {advice}.")


class ModelError(StoreError):
    """An embedding model that cannot be run."""

    def __init__(self, name: str, reason: str, advice: str) -> None:
        self.name, self.reason, self.advice = name, reason, advice
        super().__init__(f"the model {name!r} cannot be run ({reason}); {advice}.")


class ModelBusyError(ModelError):
    """An embedding model that is being loaded, or has other texts to read. It answers later."""

    def __init__(self, name: str, seconds: float) -> None:
        super().__init__(name, f"it did not answer within {seconds:g} s", "try again in a moment")


class StateError(StoreError):
    """The database of sessions cannot be used."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"cannot use {path!r} ({reason}). If it is corrupt, move it away: sessions start fresh, "
            "and no memory is lost."
        )


def first_cause(error: BaseException) -> BaseException:
    """The first cause: task groups wrap what went wrong inside them."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
