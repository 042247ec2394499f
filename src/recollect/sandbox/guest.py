"""What runs in the sandbox and how it ended, as values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from recollect.records.json_format import Json, JsonObject

FailureReason = Literal["syntax", "types", "error", "limit", "crash"]


@dataclass(frozen=True, slots=True)
class Guest:
    """Code, the values it starts with, and the functions it may call, with stubs that declare them."""

    code: str
    inputs: Mapping[str, Json] = field(default_factory=dict)
    functions: frozenset[str] = frozenset()
    stubs: str = ""


@dataclass(frozen=True, slots=True)
class GuestCall:
    """One call that a guest makes. `line` is that of its own code, 0 inside of text that it evaluates."""

    function: str
    arguments: JsonObject
    line: int


@dataclass(frozen=True, slots=True)
class GuestFinished:
    """The value of the last expression, and what was printed."""

    value: Json
    printed: str = ""


@dataclass(frozen=True, slots=True)
class GuestFailed:
    """Why the guest ended early: a text for the author of its code, and the line of it, 0 without one."""

    reason: FailureReason
    error: str
    line: int = 0
    printed: str = ""


@dataclass(frozen=True, slots=True)
class GuestSuspended:
    """A guest that waits for calls. `state` continues it in any process; `waiting` has its open calls.

    Keys of `waiting` are the numbers by which the interpreter knows a call, values what the host calls it.
    """

    state: bytes
    waiting: Mapping[int, str]
    printed: str = ""


GuestOutcome: TypeAlias = GuestFinished | GuestFailed | GuestSuspended
