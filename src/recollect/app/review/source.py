"""A source of things that wait for a person: the port that each kind fills. No door is known here."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from recollect.records.json_format import JsonObject

ReviewAct = Literal["keep", "edit", "merge", "drop"]


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """One thing that waits. `id` is unique within its kind; `acts` says in words what each act does.

    `memory` is the memory it is about, `document` what would be stored. An act in `asks` cannot be undone.
    """

    kind: str
    id: str
    title: str
    reason: str
    acts: Mapping[ReviewAct, str]
    details: tuple[str, ...] = ()
    memory: str = ""
    document: JsonObject | None = None
    asks: frozenset[ReviewAct] = frozenset()

    @property
    def key(self) -> str:
        """A short name among all items: eight signs of a hash, because ids have spaces and are long."""
        return hashlib.sha256(f"{self.kind} {self.id}".encode()).hexdigest()[:8]


@dataclass(frozen=True, slots=True)
class ReviewDecision:
    """What a person decided. A merge has a `target`, an edit has `fields`."""

    act: ReviewAct
    target: str = ""
    fields: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReviewOutcome:
    """What was done, in words, and what `undo` needs to take it back; None where nothing can.

    `command` is the id of the command that a run was sent, which says what becomes of it; else empty.
    """

    text: str
    undo: JsonObject | None = None
    command: str = ""


class ReviewSource(Protocol):
    """One kind of things that wait. Acting on what is gone raises NotFoundError."""

    @property
    def kind(self) -> str:
        """The name of the kind, in items and decisions."""
        ...

    def items(self) -> Sequence[ReviewItem]:
        """What waits now."""
        ...

    def find(self, id: str) -> ReviewItem | None:
        """The item of that id, if it still waits. Does not look at the others where it need not."""
        ...

    def act(self, item: ReviewItem, decision: ReviewDecision) -> ReviewOutcome:
        """Do what a person decided. Raises RefusedError where that makes no sense."""
        ...

    def undo(self, data: JsonObject) -> None:
        """Take an act back. Raises InvalidError for data that no act of this source gave."""
        ...


class Decisions(Protocol):
    """The last decisions that can be taken back, each with `kind`, `title` and `undo`. Bounded."""

    def add(self, decision: JsonObject) -> None: ...

    def take(self) -> JsonObject | None:
        """Remove the latest and return it; None without any."""
        ...

    def clear(self) -> None: ...


class Dismissals(Protocol):
    """Keys of items that a person wants to see no more."""

    def all(self) -> frozenset[str]: ...

    def add(self, key: str) -> None: ...

    def remove(self, key: str) -> None: ...
