"""The gate in front of every write: the port that the redaction fills."""

from dataclasses import dataclass
from typing import Protocol

from recollect.records.json_format import Json


@dataclass(frozen=True, slots=True)
class SecretFinding:
    """A secret that was taken out: its kind and the field it stood in, never its value."""

    kind: str
    field: str


class RedactionGate(Protocol):
    """Takes secrets out of a value before it is stored. An error in it stops the write."""

    def __call__(self, value: Json, field: str = "") -> tuple[Json, list[SecretFinding]]:
        """The value as it may be stored, and what was taken out of it."""
        ...
