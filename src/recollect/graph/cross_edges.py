"""Edges between skills and memories. Each type has one direction; the other one is refused.

| type | from | to | meaning |
|---|---|---|---|
| describes | skill | memory | the skill says how to do what the memory records |
| governs | skill | memory | the skill's rules are the reason for the memory |
| implements | memory | skill | the memory does what the skill describes |
"""

from dataclasses import dataclass
from enum import StrEnum

from recollect.errors import RefusedError
from recollect.ids import UnifiedId


class CrossType(StrEnum):
    """The type of an edge between a skill and a memory."""

    DESCRIBES = "describes"
    GOVERNS = "governs"
    IMPLEMENTS = "implements"


DIRECTION = {
    CrossType.DESCRIBES: ("skill", "mem"),
    CrossType.GOVERNS: ("skill", "mem"),
    CrossType.IMPLEMENTS: ("mem", "skill"),
}
_WORDS = {"skill": "a skill", "mem": "a memory"}


@dataclass(frozen=True, slots=True)
class CrossEdge:
    """An edge between a skill and a memory. Raises RefusedError if its direction is wrong."""

    source: UnifiedId
    type: CrossType
    target: UnifiedId

    def __post_init__(self) -> None:
        kinds = tuple(id.partition(":")[0] for id in (self.source, self.target))
        if kinds != DIRECTION[self.type]:
            start, end = (_WORDS[kind] for kind in DIRECTION[self.type])
            raise RefusedError(
                f"{self.type.value!r} leads from {start} to {end}, not from {self.source!r} to "
                f"{self.target!r}; write it at the other end."
            )

    @property
    def ends(self) -> tuple[UnifiedId, UnifiedId]:
        return self.source, self.target
